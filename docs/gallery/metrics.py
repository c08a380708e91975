"""Do metrics agree?

How alike two metrics order the groups: 1 is the same order, -1 the reverse.
"""

import evenhand as eh

world = eh.datasets.marketplace()
result = eh.groups.audit(
    world.candidates,
    world.users,
    attributes=["gender", "age_band", "region"],
    metric=["mrr", "ndcg", "auc", "precision"],
)
picture = result.picture(result.find("metric_agreement").id)
