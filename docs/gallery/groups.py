"""Who is served worst

A row is a group of users: the square is its mean, the line its interval. The shaded band is where a group of
its size would lie if users were dealt into groups by chance.
"""

import evenhand as eh

world = eh.datasets.marketplace()
result = eh.groups.audit(
    world.candidates,
    world.users,
    attributes=["gender", "age_band"],
    metric="mrr",
    tolerance=0.05,
).labelled({"gender": {"F": "women", "M": "men"}})
picture = result.picture("users")
