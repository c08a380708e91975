"""Who gets opportunity

A row is a group of creators. The dot is how much more or less often their liked items are shown than the
average, the line what chance leaves open. The shaded part is within the limit.
"""

import evenhand as eh

world = eh.datasets.marketplace()
shown = world.default_log[world.default_log["arm"] == "control"]
result = eh.opportunity.audit(
    shown,
    world.random_log,
    label="liked",
    group="creator_age",
    cluster="user_id",
)
picture = result.picture("creators")
