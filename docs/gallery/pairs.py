"""Every pair of groups

The row minus the column: how much more the one leans than the other. Numbers in brackets may be chance.
"""

import evenhand as eh

world = eh.datasets.marketplace()
result = eh.association.audit(
    world.item_embeddings,
    world.user_embeddings,
    world.users["gender"].to_numpy(),
    world.items["genre"].to_numpy(),
    name="gender",
    tolerance=0.1,
)
pairs = [one for one in result.findings if one.measure == "deaa"]
picture = eh.AuditResult(tuple(pairs)).picture("embeddings")
