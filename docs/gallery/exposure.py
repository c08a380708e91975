"""Who is shown to whom

A row is a group of users, a column a group of items. Green is shown more than these users' likes ask for,
purple less. A diamond is surely beyond the limit; a number in brackets may be chance.
"""

import evenhand as eh

world = eh.datasets.marketplace()
result = eh.exposure.audit(
    world.scores,
    world.relevance,
    world.users["gender"],
    world.items["genre"],
    beta="static",
    tolerance=0.3,
).labelled({"user group": {"F": "women", "M": "men"}})
picture = result.picture("exposure")
