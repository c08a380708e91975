"""A group from day to day

The same of one group: its opportunity beside the average, on each day.
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
young = result.find("daily_relative_utility", group="18-24")
picture = result.picture(young.id)
