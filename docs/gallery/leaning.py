"""Which items lean to whom

A row is a group of items: how much nearer its vectors lie to those of women than to those of men.
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
).labelled({"gender": {"F": "women", "M": "men"}})
picture = result.picture("embeddings")
