"""The tables on MovieLens-1M of Beattie (2023), beside which association_movielens.py prints its numbers."""

from __future__ import annotations

NAME = (
    "Sensitive attribute association bias in latent factor recommendation algorithms: theory and in practice"
)
PAPER = f'Beattie, "{NAME}" (dissertation, University of Oklahoma, 2023)'
EVERY = (
    *(f"Table {one}" for one in ("6.1", "6.2", "6.3", "6.4", "6.5", "6.6", "6.7", "7.1", "7.2", "7.3")),
    *(f"Table 8.{number}" for number in range(1, 9)),
    *(f"Table 9.{number}" for number in range(1, 4)),
    *(f"Figure {one}" for one in ("3.1", "3.2", "5.1", "5.2", "6.1", "6.2")),
    *(f"Figure 7.{number}" for number in range(1, 10)),
)
MEASURES = ("recall", "mrr", "ndcg", "hit", "precision")
MALE = ("Action", "Sci-Fi", "War", "Western", "Crime")
FEMALE = ("Romance", "Children's", "Drama")
GENRES = (*MALE, *FEMALE)
AGES = ("Under 18", "18-24", "25-34", "35-44", "45-49", "50-55", "56+")

Row = tuple[float, ...]


def _by_genre(*values: float) -> dict[str, float]:
    return dict(zip(GENRES, values, strict=True))


# Table 6.3: measures at 10.
ACCURACY: dict[str, Row] = {
    "bpr": (0.1464, 0.3770, 0.2052, 0.7267, 0.1608),
    "dmf": (0.1399, 0.3610, 0.1943, 0.7075, 0.1516),
}
# Table 6.4: SVC accuracy (train, test), and |t| of M against F, of M and F against a random direction, and of
# M and F against random vectors. The heads of its accuracies are lost: read as learnt from of 100K and of 1M,
# then held out of both, the former are higher in seven of eight models; read data set by data set, in two.
SVC_ACCURACY: dict[str, Row] = {"bpr": (0.8007, 0.7713), "dmf": (0.7994, 0.7208)}
T_VALUES: dict[tuple[str, str], Row] = {
    ("bpr", "svc"): (51.24, 26.30, 12.45, 15.74, 30.80),
    ("dmf", "svc"): (41.32, 6.88, 14.91, 13.72, 24.63),
    ("bpr", "centroid"): (44.29, 32.55, 15.20, 13.97, 27.33),
    ("dmf", "centroid"): (36.01, 8.51, 44.74, 12.49, 22.60),
}
# Table 6.5: of the 100 most biased men and women, how many are told right.
MOST_BIASED: dict[tuple[str, str], Row] = {
    ("bpr", "svc"): (0.95, 0.93),
    ("dmf", "svc"): (0.95, 0.91),
    ("bpr", "centroid"): (0.97, 0.89),
    ("dmf", "centroid"): (0.95, 0.88),
}
# Tables 6.6 (ages in three bins) and 6.7 (as they are): mean cosine with the holistic direction.
AGE: dict[tuple[str, str], Row] = {
    ("bpr", "binned"): (0.2040, 0.2298, 0.0933, -0.0304, -0.0748, -0.1028, -0.1262),
    ("dmf", "binned"): (-0.1259, -0.1381, -0.0684, 0.0045, 0.0333, 0.0580, 0.0726),
    ("bpr", "unbinned"): (0.0784, -0.0570, -0.0835, -0.0464, -0.0477, -0.0563, -0.0452),
    ("dmf", "unbinned"): (-0.1245, -0.1175, -0.0536, 0.0098, 0.0382, 0.0601, 0.0793),
}
# Table 7.2, in the order of GENRES; GEAA is a sum. (Table 8.2 has the DMF's SVC R-RIPA of Drama and of
# Children's the other way round.)
BY_GENRE: dict[tuple[str, str], dict[str, float]] = {
    ("bpr", "centroid"): _by_genre(0.3300, 0.3222, 0.2732, 0.2107, 0.1763, -0.3225, -0.1168, -0.1703),
    ("bpr", "svc"): _by_genre(0.1677, 0.1601, 0.2421, 0.2164, 0.0928, -0.1879, -0.0867, -0.0712),
    ("bpr", "geaa"): _by_genre(31.7846, 20.3402, 4.0550, 2.9001, 5.2797, -34.3704, -6.9995, -56.8799),
    ("dmf", "centroid"): _by_genre(0.1606, 0.1798, 0.1078, 0.0983, 0.0605, -0.1495, -0.0753, -0.0585),
    ("dmf", "svc"): _by_genre(0.0488, 0.0418, 0.0553, 0.0738, -0.0067, -0.1613, -0.0617, -0.0994),
    ("dmf", "geaa"): _by_genre(10.2351, 7.5111, 1.0584, 0.8951, 1.1989, -10.5441, -2.9834, -12.9407),
}
# Table 7.3: the effect size of a pair of genres, along the SVC direction and along the centroid direction.
EFFECTS: dict[str, dict[tuple[str, str], Row]] = {
    "bpr": {
        ("Action", "Romance"): (1.6738, 1.8119),
        ("Action", "Children's"): (1.5704, 1.7549),
        ("Action", "Drama"): (1.4386, 1.8409),
        ("Crime", "Romance"): (1.6675, 1.8619),
        ("Crime", "Children's"): (1.3371, 1.4488),
        ("Crime", "Drama"): (1.1345, 1.6752),
        ("Sci-Fi", "Romance"): (1.6953, 1.8469),
        ("Sci-Fi", "Children's"): (1.5373, 1.7103),
        ("Sci-Fi", "Drama"): (1.4554, 1.9483),
        ("War", "Romance"): (2.2911, 2.2912),
        ("War", "Children's"): (1.9599, 1.8351),
        ("War", "Drama"): (2.0553, 2.1624),
        ("Western", "Romance"): (2.2589, 2.2450),
        ("Western", "Children's"): (1.9175, 1.9175),
        ("Western", "Drama"): (1.9206, 1.9312),
    },
    "dmf": {
        ("Action", "Romance"): (1.3484, 1.5346),
        ("Action", "Children's"): (1.6088, 1.5939),
        ("Action", "Drama"): (1.0751, 1.6384),
        ("Crime", "Romance"): (1.0254, 1.2829),
        ("Crime", "Children's"): (1.1996, 1.3255),
        ("Crime", "Drama"): (0.5551, 1.1798),
        ("Sci-Fi", "Romance"): (1.2746, 1.5663),
        ("Sci-Fi", "Children's"): (1.4882, 1.5944),
        ("Sci-Fi", "Drama"): (1.0083, 1.8073),
        ("War", "Romance"): (1.3543, 1.5331),
        ("War", "Children's"): (1.7253, 1.6654),
        ("War", "Drama"): (1.1467, 1.6286),
        ("Western", "Romance"): (1.4400, 1.5164),
        ("Western", "Children's"): (1.7886, 1.7205),
        ("Western", "Drama"): (1.3101, 1.5682),
    },
}
# Figures 7.1 to 7.3: R2 of a regression of the films' cosines with the direction on genres, BPR. (7.1 and 7.2
# are both of the centroid.) Sec. 7.2.1 of figures 7.4 and 7.5: the genres that a tree finds most important.
REGRESSION: dict[str, float] = {"centroid": 0.600, "svc": 0.425}
IMPORTANT: dict[str, tuple[str, ...]] = {
    "centroid": ("Action", "Drama", "Sci-Fi", "Romance", "Horror"),
    "svc": ("Action", "Romance", "Sci-Fi", "Drama", "Crime"),
}
# Table 8.1: mean cosine of men and of women with the direction in the first round and in the fifth.
LOOP_COSINES: dict[tuple[str, str], Row] = {
    ("bpr", "svc"): (0.0638, 0.0676, -0.1178, -0.1037),
    ("bpr", "centroid"): (0.1145, 0.1209, -0.1552, -0.1557),
    ("dmf", "svc"): (-0.0392, 0.0274, -0.1525, -0.0902),
    ("dmf", "centroid"): (0.0070, 0.0997, -0.1714, -0.0937),
}
# Table 8.2: the measures of the fifth round (those of the first are BY_GENRE), and which changes it marks.
LOOP_BY_GENRE: dict[tuple[str, str], dict[str, float]] = {
    ("bpr", "svc"): _by_genre(0.1582, 0.1526, 0.2412, 0.2078, 0.0902, -0.1902, -0.1003, -0.0737),
    ("bpr", "centroid"): _by_genre(0.3545, 0.3517, 0.2782, 0.2220, 0.1914, -0.3399, -0.1403, -0.1856),
    ("bpr", "geaa"): _by_genre(34.99, 22.76, 4.23, 3.13, 5.88, -37.13, -8.61, -63.55),
    ("dmf", "svc"): _by_genre(0.0589, 0.0481, 0.1023, 0.1195, 0.0049, -0.1412, -0.0696, -0.0743),
    ("dmf", "centroid"): _by_genre(0.1765, 0.1984, 0.1229, 0.0949, 0.0711, -0.1370, -0.0851, -0.0474),
    ("dmf", "geaa"): _by_genre(12.18, 8.98, 1.31, 0.94, 1.52, -10.47, -3.65, -11.35),
}
LOOP_MARKED: dict[tuple[str, str], tuple[str, ...]] = {
    ("dmf", "svc"): ("Action", "Sci-Fi", "War", "Western", "Drama", "Children's"),
    ("dmf", "centroid"): ("Action", "Drama"),
    ("dmf", "geaa"): ("Action", "Drama", "Children's"),
}
# Tables 8.5 and 8.6, all films: share predicted as women's by the share of women in the audience (50-60%,
# ...), and as men's by that of men; in the first round and in the fifth.
DECILES: dict[tuple[str, str], tuple[Row, Row]] = {
    ("bpr", "F"): ((0.3943, 0.7487, 0.8765, 0.8000, 0.4639), (0.4434, 0.7661, 0.8827, 0.7800, 0.3917)),
    ("bpr", "M"): ((0.8822, 0.9730, 0.9858, 0.9813, 0.9625), (0.8543, 0.9676, 0.9905, 0.9875, 0.9562)),
    ("dmf", "F"): ((0.1235, 0.2960, 0.3209, 0.3000, 0.0103), (0.3184, 0.4726, 0.4382, 0.4000, 0.0103)),
    ("dmf", "M"): ((0.9731, 0.9973, 1.0000, 1.0000, 1.0000), (0.8846, 0.9514, 0.9858, 1.0000, 0.9937)),
}
# Table 8.7: share predicted as women's of male, female and other genres, in the first round and in the fifth.
GENRE_SIDES: dict[str, dict[str, Row]] = {
    "bpr": {"male": (0.0408, 0.0356), "female": (0.3561, 0.3912), "neutral": (0.2128, 0.2307)},
    "dmf": {"male": (0.1280, 0.2601), "female": (0.0146, 0.0597), "neutral": (0.0847, 0.1536)},
}
# Table 8.8: share of users predicted as women by their history: learnt from all users and from a balanced
# sample, in the first round and in the fifth.
HISTORIES: dict[str, dict[str, Row]] = {
    "bpr": {"unbalanced": (0.0602, 0.0614), "balanced": (0.0778, 0.4774)},
    "dmf": {"unbalanced": (0.0345, 0.0778), "balanced": (0.0684, 0.4558)},
}
# Sec. 5.2.1: how many interactions there are after over- and under-sampling.
RESAMPLED_SIZES = {"over": 1_507_538, "under": 492_880}
# Table 9.1: measures at 10 after a mitigation of BPR.
MITIGATED_ACCURACY: dict[str, Row] = {
    "under": (0.0914, 0.1413, 0.0838, 0.3307, 0.0529),
    "over": (0.1604, 0.4794, 0.2878, 0.8098, 0.2441),
    "projection svc": (0.1900, 0.4910, 0.2925, 0.7937, 0.2270),
    "projection centroid": (0.1788, 0.4757, 0.2760, 0.7722, 0.2123),
    "nullspace 200": (0.1282, 0.3563, 0.1891, 0.6806, 0.1473),
    "nullspace 1000": (0.1242, 0.3490, 0.1901, 0.6632, 0.1516),
    "adversarial": (0.1462, 0.3667, 0.2000, 0.7248, 0.1573),
}
# Tables 9.2 and 9.3.
MITIGATED_BY_GENRE: dict[tuple[str, str], dict[str, float]] = {
    ("under", "svc"): _by_genre(0.1682, 0.1363, 0.1626, 0.1482, 0.0795, -0.2016, -0.1208, -0.1227),
    ("over", "svc"): _by_genre(0.1446, 0.1583, 0.1532, 0.1117, 0.0494, -0.2059, -0.1204, -0.1680),
    ("adversarial", "svc"): _by_genre(0.1159, 0.0969, 0.1902, 0.1513, 0.0641, -0.0764, -0.0162, -0.0157),
    ("projection svc", "svc"): _by_genre(0.1400, 0.1439, 0.1160, 0.1040, 0.0994, -0.1834, -0.0707, -0.0767),
    ("projection centroid", "svc"): _by_genre(
        0.0069, -0.0214, -0.0079, 0.0042, 0.0694, 0.0210, 0.0782, 0.1557
    ),
    ("nullspace 200", "svc"): _by_genre(0.0596, 0.0565, 0.0907, 0.0742, 0.0298, -0.0680, -0.0297, -0.0273),
    ("nullspace 1000", "svc"): _by_genre(0.0499, 0.0462, 0.0718, 0.0676, 0.0279, -0.0556, -0.0249, -0.0210),
    ("under", "centroid"): _by_genre(0.3750, 0.3668, 0.2716, 0.2224, 0.1749, -0.3404, -0.1356, -0.2213),
    ("over", "centroid"): _by_genre(0.3000, 0.3076, 0.2348, 0.1785, 0.1375, -0.2887, -0.1135, -0.1969),
    ("adversarial", "centroid"): _by_genre(0.2161, 0.2097, 0.1902, 0.1513, 0.1265, -0.1520, -0.0397, -0.0555),
    ("projection svc", "centroid"): _by_genre(
        0.2991, 0.2957, 0.1160, 0.0945, 0.0994, -0.1834, -0.0795, -0.0767
    ),
    ("projection centroid", "centroid"): _by_genre(
        0.0329, 0.0960, -0.0151, 0.0042, 0.0411, 0.0444, 0.1262, 0.1557
    ),
    ("nullspace 200", "centroid"): _by_genre(
        0.3302, 0.2743, 0.2822, 0.2617, 0.0261, -0.2857, -0.0534, -0.0227
    ),
    ("nullspace 1000", "centroid"): _by_genre(
        0.3420, 0.4106, 0.3259, 0.1755, 0.1897, -0.3041, -0.2199, -0.1409
    ),
    ("under", "geaa"): _by_genre(35.56, 23.41, 4.09, 2.99, 5.22, -36.26, -8.24, -72.48),
    ("over", "geaa"): _by_genre(28.56, 19.19, 3.44, 2.43, 4.07, -30.41, -6.72, -65.02),
    ("adversarial", "geaa"): _by_genre(39.11, 24.88, 6.93, 5.31, 7.12, -30.44, -4.47, -34.87),
    ("projection svc", "geaa"): _by_genre(21.87, 14.17, 1.79, 0.98, 3.59, 22.09, -3.62, -41.69),
    ("projection centroid", "geaa"): _by_genre(0.07, 0.15, -0.01, 0.01, 0.03, 0.11, 0.18, 1.08),
    ("nullspace 200", "geaa"): _by_genre(28.30, 15.46, 3.73, 3.21, 3.96, -27.17, -2.85, -38.69),
    ("nullspace 1000", "geaa"): _by_genre(37.30, 39.36, 5.47, 2.73, 6.43, -36.71, -14.92, -53.29),
}
