"""Who would be better off

How many users would gain from the list that suits them best, by how much. To the right of the dashed line the
gain counts.
"""

import evenhand as eh

world = eh.datasets.marketplace()
result = eh.envy.audit(world.preferences, world.policy, tolerance=0.05)
picture = result.picture("envy")
