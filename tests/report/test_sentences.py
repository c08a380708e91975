"""No sentence says the contrary of its finding: each measure in each state, and what is read there."""

from string import Formatter

import numpy as np
import pytest

import evenhand as eh
from evenhand.findings import Finding, Interval
from evenhand.report.vocabulary.names import words
from evenhand.report.words import sentences
from short_findings import short

WORDS = {
    "toward": "f",
    "away": "m",
    "lean": "f",
    "side": "f",
    "direction": "f against m",
}
# What phrases are made of.
NUMBERS = {
    "unit": "day", "day": "2024-04-18", "days": 3, "days_outside": 1, "days_undecided": 1, "days_within": 1,
    "judge": "any", "days_clear": 1, "daily": 100.0, "aim": {"kind": "half_width", "wanted": 0.05},
    "reached": 0.1, "halves": [{"highest": "a", "lowest": "b"}] * 2, "null": {"mean": 0.1, "p95": 9.0},
    "shuffled_p_value": 0.5, "confirmed": {"interval": {"low": 0.1, "high": 0.3}, "sure": True},
    "detectable_gap": {"gap": 0.1}, "passes": True, "significance": 0.05, "accuracy": {"balanced": 0.7},
    "leaning": {"f": ["a"]}, "first": "1", "last": "3", "mean_utility": 0.5,
    "guessing": 0.5, "majority": 0.6, "change": "better", "before": 0.3, "after": 0.1,
}  # fmt: skip
ABOUT = {
    "share": 0.01, "days": 14, "importance": 0.2, "beta": 8.0, "against": "before", "unit": "day",
    "popularity": "all", "direction": "f against m", "gamma": 0.1,
}  # fmt: skip
SUBJECT = (
    "group",
    "by",
    "first",
    "second",
    "arm",
    "baseline",
    "value",
    "other",
    "user",
    "experiment",
    "with",
    "audience",
)
# Limits around no effect, and the estimate.
STATES = {
    "clear above": (0.2, 0.1, 0.3),
    "clear below": (-0.2, -0.3, -0.1),
    "undecided": (0.1, -0.1, 0.3),
    "nothing": (0.0, -0.1, 0.1),
    "no interval": (0.1, None, None),
}


def finding(name: str, state: str, p_value: float | None) -> Finding:
    """A finding with all that its sentences ask for."""
    known = words().measures[name]
    asked = {
        field.split(":")[0]: spec
        for template in (known.sentence, known.untold or "")
        for _, field, spec, _ in Formatter().parse(template)
        if field
    }
    subject = {key: WORDS.get(key, f"{key}-a") for key in SUBJECT if key in asked}
    if {"who", "people"} & asked.keys() and "group" not in asked:
        subject["group"] = "a"
    if "tested" in asked:
        subject["group"] = "a"
    details = {key: 3 if spec else WORDS.get(key, key) for key, spec in asked.items() if key not in subject}
    if known.phrases is not None:
        subject |= ABOUT
        subject.setdefault("by", "gender")
        details |= NUMBERS
    shift = known.no_effect or 0.0
    estimate, low, high = STATES[state]
    interval = None
    if low is not None:
        interval = Interval(low=low + shift, high=high + shift, level=0.95, method="t")
    if name == "pair_exposure":
        about = {"beta": 8.0, "users": {"gender": "a"}, "items": {"genre": "b"}}
        return Finding(audit="a", measure=name, about=about, estimate=estimate, interval=interval)
    return short(
        audit="a", measure=name, subject=subject, estimate=estimate + shift, interval=interval,
        p_value=p_value, details=WORDS | details,
    )  # fmt: skip


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("name", words().measures)
def test_no_sentence_says_the_contrary_of_its_interval_or_p_value(name, state):
    known = words().measures[name]
    for p_value in (0.0001, 0.6):
        one = finding(name, state, p_value)
        said = sentences.sentence(one)
        assert "{" not in said
        assert "\0" not in said
        assert not said.startswith(f"{known.title} is "), "something that the sentence asks for is missing"
        if known.no_effect is None:
            continue
        told_by_p = "{meaning}" not in known.sentence or known.tested
        clear = state.startswith("clear") or (state == "no interval" and p_value < 0.05 and told_by_p)
        # Of two answers to the same question one is given, that of the interval.
        if known.tested:
            assert ("p <" in said) is (clear and p_value < 0.05), said
            assert ("p = 0.60" in said) is (not clear and p_value > 0.05), said
        leans = "lean to f" in said or "leans to f" in said or "leans more to f" in said
        assert not (leans and not clear), said
        assert not (clear and ("not shown" in said or "not told" in said or "may be chance" in said)), said
        if known.directions is not None and state != "no interval":
            below, above = known.directions
            if state == "nothing":
                assert f"neither {below} nor {above}" in said
            elif clear:
                assert (below if state == "clear below" else above) in said
            elif known.tested and not known.check:
                assert "which may be chance" in said


@pytest.mark.parametrize(("strength", "minority"), [(0.0, 0.27), (0.0, 0.5), (1.5, 0.27), (0.35, 0.2)])
def test_a_direction_says_one_thing_about_the_vectors(strength, minority):
    """What always naming the larger value reaches is nothing told, and is not said to be."""
    rng = np.random.default_rng(3)
    count = 300
    has = rng.random(count) < minority
    vectors = rng.normal(size=(count, 4)) + strength * has[:, None] * np.array([1, 0, 0, 0])
    found = eh.association.audit(None, vectors, np.where(has, "F", "M"), method="centroid", permutations=99)
    one = found.find("direction")
    said = sentences.sentence(one)
    passes, balanced = one.details["passes"], one.details["accuracy"]["balanced"]
    assert passes is not ("No direction of the attribute is shown." in said)
    assert passes is (", more than chance by all of its tests" in said)
    assert passes is not (", not more than chance by all of its tests" in said)
    assert ("The attribute can be guessed for" in said) is (passes and balanced > 0.5)
    assert "always naming" not in said
