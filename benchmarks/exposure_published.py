"""Tables and figures of Hu and others (2023), beside which replications/jme.py puts ours."""

from __future__ import annotations

NAME = "[Re] Reproducibility study of joint multisided exposure fairness for recommendation"
PAPER = f'Hu and others, "{NAME}" (ReScience C, 2023), after Wu, Mitra, Ma, Diaz and Liu (SIGIR 2022)'
EVERY = (*(f"Table {number}" for number in range(1, 8)), *(f"Figure {number}" for number in range(1, 11)))

MODELS = ("BPRMF", "LDA", "PureSVD", "SLIM", "WRMF")
MEASURES = ("II", "IG", "GI", "GG", "AI", "AG")
Areas = dict[str, tuple[float, ...]]
# Table 3: area under the trade-off up to the least disparity that any model has at the smallest temperature.
COMMON: Areas = {
    "BPRMF": (0.6336, 0.437, 0.1949, 0.2487, 0.1879, 0.0869),
    "LDA": (0.5567, 0.2448, 0.2305, 0.1877, 0.2007, 0.1799),
    "PureSVD": (0.5691, 0.3239, 0.2615, 0.2896, 0.0712, 0.0909),
    "SLIM": (0.6540, 0.3757, 0.2591, 0.2739, 0.0799, 0.1145),
    "WRMF": (0.5901, 0.5171, 0.2826, 0.334, 0.2194, 0.2219),
    "Bert4Rec": (0.7325, 0.6331, 0.7495, 0.6229, 0.7626, 0.6026),
}
# Table 5: the whole area by the trapezoidal rule.
TRAPEZOID: Areas = {
    "BPRMF": (0.6336, 0.5378, 0.3555, 0.3790, 0.3324, 0.3051),
    "LDA": (0.5567, 0.509, 0.4671, 0.1877, 0.4148, 0.1799),
    "PureSVD": (0.5691, 0.3239, 0.5733, 0.5048, 0.4995, 0.3853),
    "SLIM": (0.6540, 0.5129, 0.6141, 0.5338, 0.6141, 0.5383),
    "WRMF": (0.5901, 0.5171, 0.2826, 0.334, 0.2194, 0.2219),
}
# Table 6: as in the paper of Wu and others.
ORIGINAL: Areas = {
    "BPRMF": (0.6331, 0.4774, 0.2904, 0.2953, 0.2712, 0.2814),
    "LDA": (0.5664, 0.4088, 0.2837, 0.3164, 0.2687, 0.3115),
    "PureSVD": (0.5830, 0.4102, 0.2921, 0.3030, 0.2755, 0.2942),
    "SLIM": (0.6408, 0.4654, 0.2776, 0.2851, 0.2605, 0.2752),
    "WRMF": (0.5996, 0.4769, 0.3135, 0.3186, 0.2957, 0.3139),
}
# Table 7: seconds of the stochastic policies and of the static one, MovieLens-1M.
SECONDS: dict[str, dict[str, tuple[float, float]]] = {
    "BPRMF": {"gender": (725.0684, 154.5441), "age_band": (957.8651, 180.7152)},
    "LDA": {"gender": (864.2498, 153.9465), "age_band": (1089.0162, 186.1006)},
    "PureSVD": {"gender": (715.7262, 151.7859), "age_band": (950.048, 188.2004)},
    "SLIM": {"gender": (719.0509, 151.7716), "age_band": (956.7448, 193.7132)},
    "WRMF": {"gender": (741.1262, 161.2652), "age_band": (993.4329, 198.609)},
}
