"""The reference models by their names, and what each kind of them needs."""

from __future__ import annotations

# Models without gradient descent, and the module of `models` that each is a function of.
CLASSIC = {
    **dict.fromkeys(("popularity", "random", "puresvd", "ease", "als", "knn"), "classic"),
    "user-knn": "user_knn",
    "plsa": "plsa",
    "lda": "lda",
}
# Those that take features of users and items: click models, and two towers.
CLICK = ("widedeep", "deepfm", "dcn", "fgcnn")
FEATURED = (*CLICK, "two-tower")
SEQUENTIAL = ("bert4rec",)  # these learn from the order in time
ON_GPU = (*FEATURED, *SEQUENTIAL)  # trained on one where there is one; the others are done sooner without
# Models that are trained in epochs, and the class of each, in a module of `models` with its name.
DEEP = {
    "bpr": "BPR",
    "dmf": "DMF",
    "neumf": "NeuMF",
    "widedeep": "WideDeep",
    "deepfm": "DeepFM",
    "dcn": "DCN",
    "fgcnn": "FGCNN",
    "two-tower": "TwoTower",
    "bert4rec": "BERT4Rec",
}
MODELS = (*DEEP, *CLASSIC)
