"""Tables and figures of Dong and others (2024), beside which replications/reo.py puts ours."""

from __future__ import annotations

NAME = "Measuring fairness in large-scale recommendation systems with missing labels"
AUTHORS = "Dong, Jin, Hu and Liu"
PAPER = f'{AUTHORS}, "{NAME}" (2024)'
EVERY = ("Table 1", *(f"Figure {number}" for number in range(1, 14)))

# Table 1 and its text: liked and recommended, liked and not recommended, of the two groups.
TOY = {"A": ((100, 100), (0, 0)), "B": ((100, 100), (100, 0))}
TOY_PENALTY = {"A": 0.0, "B": 2 / 3}
# Sec. 4.3: the penalty at which the 80% rule is just kept.
THRESHOLD = 1 / 9
# Figure 3, and Sec. 4.2 of figure 5: "MSE ~ 1/n", "close to 1/n".
SLOPE = -1.0
# Sec. 4.3 of figures 6 and 8: days above the threshold; bias lower than 3%.
DAYS_ABOVE = 1.0
BIAS = 0.03
# Figure 9: the sign of the change of the penalty.
BOOST_SIGNS = {"1.25x deboost": "falls", "2x deboost": "grows", "2x boost": "grows"}
