"""The questions that audits answer, and which findings are the answer."""

from __future__ import annotations

# Which question an audit serves; what is in none is a question of its own.
QUESTION_OF: dict[str, str] = {
    "opportunity": "creators",
    "series": "creators",
    "compare": "creators",
    "experiments": "creators",
    "stages": "creators",
    "boost": "creators",
    "parity": "creators",
    "traffic_plan": "creators",
    "exposure": "exposure",
    "groups": "users",
    "user_precision": "users",
    "mitigate": "users",
    "envy": "envy",
    "envy_simulation": "envy",
    "envy_plan": "envy",
    "association": "embeddings",
    "association_amplification": "embeddings",
    "association_leakage": "embeddings",
    "mitigate_embeddings": "embeddings",
}

# The measure whose families are the answer to a question: the first that is there. All of their intervals
# hold at once; everything else under the question explains it, and is not counted.
HEADLINES: dict[str, tuple[tuple[str, str], ...]] = {
    "creators": (
        ("opportunity", "relative_utility"),
        ("series", "daily_relative_utility"),
        ("stages", "relative_utility"),
        ("compare", "reo_difference"),
        ("experiments", "reo_difference"),
        ("boost", "reo_penalty"),
        ("parity", "rsp_penalty"),
    ),
    "users": (("groups", "confirmed_gap"), ("user_precision", "precision_penalty")),
    "exposure": (("exposure", "pair_exposure"),),
    "envy": (("envy", "envious_users"),),
    "embeddings": (
        ("association", "geaa"),
        ("association_amplification", "geaa_growth"),
        ("association_leakage", "leak_parity"),
    ),
}
