"""What a boost would do

An arrow a group, from its opportunity now to what it would be if its rows came more or less often.
"""

import evenhand as eh

world = eh.datasets.marketplace()
shown = world.default_log[world.default_log["arm"] == "control"]
result = eh.opportunity.boost(
    shown,
    world.random_log,
    label="liked",
    group="creator_age",
    weights={"18-24": 1.25, "35+": 0.85},
    cluster="user_id",
)
boosted = [one for one in result.findings if one.measure == "boost_weight"]
picture = eh.AuditResult(tuple(boosted)).picture("creators")
