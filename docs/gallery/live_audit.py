"""A live audit as it goes

The upper and the lower bound of each policy, as recommendations come in. The audit ends when the bounds leave
no doubt.
"""

import evenhand as eh

OPTIONS = {
    "epsilon": 0.05,
    "delta": 0.05,
    "alpha": 0.2,
    "bound": "mixture",
    "choice": "adaptive",
    "design": None,
    "missing": 0.0,
    "unreported": "compare",
}
simulated = eh.envy.simulated(
    [0.3, 0.6, 0.3],
    runs=100,
    seed=0,
    options=OPTIONS,
    draw=True,
    certify=False,
)
picture = simulated.result.picture("envy")
