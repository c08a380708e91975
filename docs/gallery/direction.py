"""What vectors know

Where the users with each of two values lie along a line that other users drew. The less the curves overlap,
the better the value can be guessed.
"""

import evenhand as eh

world = eh.datasets.marketplace()
result = eh.association.audit(
    world.item_embeddings,
    world.user_embeddings,
    world.users["gender"].to_numpy(),
    name="gender",
).labelled({"gender": {"F": "women", "M": "men"}})
picture = result.picture(result.find("direction").id)
