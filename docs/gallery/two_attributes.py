"""Two attributes at once

The mean of each combination of two attributes. Colours say how far it is from the mean of all.
"""

import evenhand as eh

world = eh.datasets.marketplace()
result = eh.groups.audit(
    world.candidates,
    world.users,
    attributes=["gender", "age_band"],
    metric="mrr",
).labelled({"gender": {"F": "women", "M": "men"}})
picture = result.picture(result.find("uf").id)
