"""Tables and figures of Do and others (2022), beside which replications/ocef.py puts ours."""

from __future__ import annotations

NAME = "Online certification of preference-based fairness for personalized recommender systems"
AUTHORS = "Do, Corbett-Davies, Atif and Usunier"
PAPER = f'{AUTHORS}, "{NAME}" (AAAI 2022)'
EVERY = ("Table 1", *(f"Figure {number}" for number in range(1, 5)))

# Table 1: total utility of equal user utility (EUU) and of optimal policies (OPT); average envy and share of
# .05-envious users of EUU. OPT has none of either.
TABLE_1 = {"Last.fm": (1552, 1726, 0.10, 0.61), "MovieLens": (1671, 1761, 0.04, 0.13)}
# Sec. 5.2: users and arms with epsilon = delta = .05 and lambda = gamma = .1.
USERS_AND_ARMS = (41, 75)
# Sec. 5.2 of figure 3: duration least at an alpha in between, and the sign of the cost.
DURATION_LEAST_BETWEEN = {1: False, 2: True, 3: True, 4: True}
COST_SIGN = {1: "positive", 2: "negative", 3: "positive", 4: "near 0 for small alpha, and grows"}
# Sec. 5.2 of figure 4.
COST_CALM = "positive, and grows with alpha"
COST_ENVIOUS = "negative, and falls with alpha"
