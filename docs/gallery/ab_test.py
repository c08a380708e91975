"""What a change does

How much the opportunity of each group moves from one arm of an A/B test to the other. A group's change has no
limit: to move is no harm. The limit is that of the penalty.
"""

import evenhand as eh

world = eh.datasets.marketplace()
arms = dict(list(world.default_log.groupby("arm")))
result = eh.opportunity.compare(
    arms,
    world.random_log,
    label="liked",
    group="creator_age",
    cluster="user_id",
    tolerance=0.02,
)
picture = result.picture("creators")
