"""Where it arises

The opportunity penalty of each stage of a system, and of all of them together. Begin with the stage that is
beyond the limit.
"""

import evenhand as eh

world = eh.datasets.marketplace()
shown = world.default_log[world.default_log["arm"] == "control"]
result = eh.opportunity.stages(
    {
        "random": world.random_log,
        "recall": world.recall_log,
        "ranking": shown,
    },
    label="liked",
    group="creator_age",
    cluster="user_id",
)
picture = result.picture("creators")
