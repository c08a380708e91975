"""Does it last?

The penalty of each day. The lines hold on all days at once, so that any day may be looked at.
"""

import evenhand as eh

world = eh.datasets.marketplace()
shown = world.default_log[world.default_log["arm"] == "control"]
result = eh.opportunity.series(
    shown,
    world.random_log,
    label="liked",
    group="creator_age",
    day="day",
    cluster="user_id",
)
picture = result.picture(result.find("daily_penalty").id)
