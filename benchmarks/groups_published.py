"""Tables and figures of Guo and others (2023) on MovieLens, beside which fairrec.py puts ours."""

from __future__ import annotations

NAME = "FairRec: fairness testing for deep recommender systems"
PAPER = f'Guo, Li, Wang, Liu, Wang, Hu, Zhang and Xue, "{NAME}" (ISSTA 2023)'
EVERY = (*(f"Table {number}" for number in range(1, 8)), *(f"Figure {number}" for number in range(1, 7)))

METRICS = ("auc", "mrr", "ndcg_published", "urd", "urp")
Gaps = tuple[float, ...]
# Table 1: log loss and AUC.
TABLE_1 = {
    "Wide&Deep": (0.3865, 0.9143),
    "DeepFM": (0.3791, 0.9188),
    "DCN": (0.3797, 0.9183),
    "FGCNN": (0.3842, 0.9211),
}
# Table 2: the exhaustive search (Themis), FairRec, and groups of a share of users at least (TestSGD).
TABLE_2: dict[str, Gaps] = {
    "Wide&Deep": (0.2537, 0.4819, 0.1719, 0.1786, 0.0601),
    "DeepFM": (0.2341, 0.6226, 0.2009, 0.1767, 0.0623),
    "DCN": (0.2514, 0.5185, 0.1768, 0.1528, 0.0637),
    "FGCNN": (0.2662, 0.5874, 0.2067, 0.1346, 0.0650),
}
FAIRREC_2: dict[str, Gaps] = {
    "Wide&Deep": (0.2436, 0.4603, 0.1622, 0.1605, 0.0592),
    "DeepFM": (0.2341, 0.5772, 0.2009, 0.1646, 0.0594),
    "DCN": (0.2314, 0.5121, 0.1766, 0.1404, 0.0589),
    "FGCNN": (0.2594, 0.5523, 0.2020, 0.1225, 0.0650),
}
THRESHOLDS_2: dict[str, dict[float, Gaps]] = {
    "Wide&Deep": {
        0.01: (0.0683, 0.1978, 0.0597, 0.0467, 0.0148),
        0.005: (0.0861, 0.2229, 0.0720, 0.0655, 0.0274),
    },
    "DeepFM": {
        0.01: (0.0667, 0.2052, 0.0636, 0.0646, 0.0157),
        0.005: (0.0849, 0.2500, 0.0813, 0.0728, 0.0220),
    },
    "DCN": {
        0.01: (0.0699, 0.1493, 0.0572, 0.0516, 0.0168),
        0.005: (0.0907, 0.2071, 0.0708, 0.0793, 0.0298),
    },
    "FGCNN": {
        0.01: (0.0768, 0.1771, 0.0598, 0.0473, 0.0177),
        0.005: (0.1140, 0.2533, 0.0985, 0.0936, 0.0227),
    },
}
# Table 2: seconds of the exhaustive search and of FairRec.
SECONDS = {
    "Wide&Deep": (140.53, 86.95),
    "DeepFM": (117.41, 99.06),
    "DCN": (112.28, 95.41),
    "FGCNN": (181.09, 104.82),
}
# Table 3: the exhaustive search, at random when it is cut short, and FairRec, in so many seconds.
BUDGET_3 = 0.005 * (6040 + 294)
TABLE_3: dict[str, tuple[Gaps, Gaps]] = {
    "Wide&Deep": ((0.2006, 0.2158, 0.1035, 0.1114, 0.0433), (0.1804, 0.3478, 0.1163, 0.1202, 0.0390)),
    "DeepFM": ((0.1762, 0.2746, 0.0889, 0.1574, 0.0220), (0.1661, 0.3965, 0.1214, 0.1217, 0.0272)),
    "DCN": ((0.1315, 0.3035, 0.1400, 0.0949, 0.0298), (0.2136, 0.3086, 0.1660, 0.0912, 0.0304)),
    "FGCNN": ((0.0964, 0.2370, 0.0855, 0.1086, 0.0488), (0.2379, 0.3522, 0.1198, 0.1103, 0.0274)),
}
# Tables 4 and 6: the mean of the worst tenth of groups, and UF, by mrr, ndcg, urd and urp; before and after.
RERANKED = ("mrr", "ndcg", "urd", "urp")
TABLE_4: dict[str, tuple[Gaps, Gaps]] = {
    "Wide&Deep": ((0.1786, 0.0728, 0.7625, 0.0122), (0.3208, 0.1226, 0.7967, 0.0113)),
    "DeepFM": ((0.1783, 0.0787, 0.7771, 0.0119), (0.3352, 0.1369, 0.8089, 0.0102)),
    "DCN": ((0.1824, 0.0743, 0.7705, 0.0113), (0.3480, 0.1292, 0.8150, 0.0106)),
    "FGCNN": ((0.1773, 0.0796, 0.7650, 0.0128), (0.3413, 0.1395, 0.8088, 0.0114)),
}
TABLE_6: dict[str, tuple[Gaps, Gaps]] = {
    "Wide&Deep": ((0.4603, 0.1622, 0.1605, 0.0592), (0.3805, 0.1270, 0.1082, 0.0534)),
    "DeepFM": ((0.5772, 0.2009, 0.1646, 0.0594), (0.3959, 0.1309, 0.1164, 0.0525)),
    "DCN": ((0.5121, 0.1766, 0.1404, 0.0589), (0.3825, 0.1269, 0.1044, 0.0526)),
    "FGCNN": ((0.5523, 0.2020, 0.1225, 0.0650), (0.3954, 0.1241, 0.1031, 0.0549)),
}
# Table 5: more and more attributes, Wide&Deep by its last row.
TABLE_5: dict[tuple[str, ...], Gaps] = {
    ("gender",): (0.0021, 0.0163, 0.0063, 0.0014, 0.0034),
    ("gender", "age_band"): (0.0324, 0.0998, 0.0332, 0.0237, 0.0137),
    ("gender", "age_band", "occupation"): (0.2537, 0.4819, 0.1719, 0.1786, 0.0601),
}
# Figure 3, in words of Sec. 4.2: which correlations over the models are above 0 (all four data sets).
CORRELATIONS = {("mrr", "auc"): -1, ("mrr", "ndcg_published"): 1, ("urp", "auc"): -1}
# Figure 4: how much more the double-ended swarm finds than a plain one, by the size of the data set.
IMPROVED = {"294": 0.0490, "53,058": 1.0301, "8,820": 0.223, "1,000": 0.0935}
