"""What changed since

How much the penalty of each day differs from that of the day before. A line that leaves out 0 is a change.
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
change = [one for one in result.findings if one.measure == "penalty_change"]
picture = result.picture(change[0].id)
