"""How long live audits take

The share of simulated audits that had ended by each step.
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
    draw=False,
    certify=False,
)
picture = simulated.result.picture(
    simulated.result.find("audit_duration").id
)
