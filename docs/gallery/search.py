"""A search among many groups

The largest gap among the groups that a search has visited, against the users that it has scored. For models
that are expensive to ask.
"""

import evenhand as eh

world = eh.datasets.marketplace()
result = eh.groups.audit(
    world.candidates,
    world.users,
    attributes=["gender", "age_band", "region"],
    metric="mrr",
    search="swarm",
)
picture = result.picture(result.find("uf").id)
