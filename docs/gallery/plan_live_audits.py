"""What care costs

How long audits take against the share of reward that they may cost a user at any time. A careful audit takes
longer.
"""

import evenhand as eh

OPTIONS = {
    "alpha": [0.05, 0.1, 0.2, 0.3, 0.4],
    "epsilon": 0.05,
    "delta": 0.05,
    "bound": "mixture",
    "choice": "adaptive",
    "design": None,
    "missing": 0.0,
    "unreported": "compare",
}
planned = eh.envy.planned(
    0.5, [0.3, -0.2], runs=50, seed=0, options=OPTIONS
)
picture = planned.result.picture("envy")
