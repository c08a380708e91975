"""What chance in lists costs

Each point is a temperature. To the left, exposure is more equal; further up, users see more of what they
like.
"""

import evenhand as eh

world = eh.datasets.marketplace()
result = eh.exposure.audit(
    world.scores,
    world.relevance,
    world.users["gender"],
    world.items["genre"],
    beta="static",
    tradeoff=[8, 4, 2, 1, 0.5, 0.25, "static"],
)
traded = [one for one in result.findings if one.measure == "tradeoff"]
picture = result.picture(traded[0].id)
