"""Results as the audits make them, to be rendered."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from evenhand import association
from evenhand.documents import Document, Fingerprint
from evenhand.findings import Exclusion, Finding, Interval
from evenhand.opportunity import plan_traffic
from evenhand.results import AuditResult
from short_findings import short

ASSUMPTIONS = (
    "Random traffic is drawn uniformly from what could have been shown.",
    "Users are independent of each other; rows of one user need not be.",
)


def interval(low: float, high: float, method: str = "hull of inversion and delta") -> Interval:
    return Interval(low=low, high=high, level=0.95, method=method)


def penalty(
    estimate: float | None = 0.154, low: float = 0.121, high: float = 0.187, **changes: Any
) -> Finding:
    values: dict[str, Any] = {
        "audit": "opportunity",
        "measure": "reo_penalty",
        "subject": {"by": "creator_age"},
        "estimate": estimate,
        "interval": None if estimate is None else interval(low, high),
        "tolerance": 1 / 9,
        "n": 512_000,
        "assumptions": ASSUMPTIONS,
        "details": {"corrected": 0.149, "groups": 5},
    }
    return short(**(values | changes))


def utility(
    group: str, estimate: float | None, low: float = 0.0, high: float = 0.0, n: int = 90_000, **changes: Any
) -> Finding:
    values: dict[str, Any] = {
        "audit": "opportunity",
        "measure": "relative_utility",
        "subject": {"by": "creator_age", "group": group},
        "estimate": estimate,
        "interval": None if estimate is None else interval(low, high, "simultaneous logit"),
        "tolerance": 1 / 9,
        "harm": "outside",
        "n": n,
        "assumptions": ASSUMPTIONS,
        "details": {
            "pointwise": {"low": low + 0.01, "high": high - 0.01},
            "positives_default": n // 5,
            "positives_random": n // 100,
            "rows_default": n - n // 20,
            "rows_random": n // 20,
        },
    }
    return short(**(values | changes))


def ratio(**changes: Any) -> Finding:
    values: dict[str, Any] = {
        "audit": "opportunity",
        "measure": "worst_ratio",
        "subject": {"by": "creator_age"},
        "estimate": 0.688,
        "interval": interval(0.63, 0.752, "delta on the log ratio"),
        "tolerance": 0.8,
        "harm": "below",
        "n": 512_000,
        "assumptions": ASSUMPTIONS,
        "details": {"lowest": "18-24", "highest": "35-44"},
    }
    return short(**(values | changes))


def equality(**changes: Any) -> Finding:
    values: dict[str, Any] = {
        "audit": "opportunity",
        "measure": "equality",
        "subject": {"by": "creator_age"},
        "estimate": 96.2,
        "p_value": 6e-20,
        "n": 512_000,
        "assumptions": ASSUMPTIONS,
        "details": {"df": 4},
    }
    return short(**(values | changes))


def difference(**changes: Any) -> Finding:
    values: dict[str, Any] = {
        "audit": "compare",
        "measure": "reo_difference",
        "subject": {"by": "creator_age", "arm": "treatment", "baseline": "control"},
        "estimate": -0.031,
        "interval": interval(-0.052, -0.012, "delta, shared random log"),
        "tolerance": 0.0,
        "n": 900_000,
        "assumptions": ASSUMPTIONS,
    }
    return short(**(values | changes))


def utility_difference(group: str, estimate: float, low: float, high: float, **changes: Any) -> Finding:
    subject = {"by": "creator_age", "arm": "treatment", "baseline": "control", "group": group}
    return difference(
        measure="relative_utility_difference",
        subject=subject,
        estimate=estimate,
        interval=interval(low, high),
        tolerance=0.05,
        harm="outside",
        **changes,
    )


def typical() -> Document:
    """Every verdict, every measure, two audits, warnings, exclusions and a group that is missing."""
    blind = Exclusion(
        what="creators aged 65+", count=41, why="no liked impression in random traffic", unidentified=True
    )
    no_cluster = "A user column exists and no cluster was named: rows are taken as independent."
    return AuditResult(
        findings=(
            penalty(excluded=(blind,), warnings=(no_cluster,)),
            utility("18-24", -0.232, -0.281, -0.181),
            utility("25-34", -0.061, -0.128, 0.009, n=31_000),
            utility("35-44", 0.116, 0.071, 0.163),
            utility("45-54", 0.09, 0.021, 0.162, n=24_000),
            utility("55-64", 0.021, -0.042, 0.083),
            utility("65+", None, n=41, warnings=("no liked impression in random traffic",)),
            ratio(),
            equality(),
            difference(),
            utility_difference("18-24", 0.081, 0.056, 0.107),
            utility_difference("25-34", 0.012, -0.021, 0.046),
            utility_difference("35-44", -0.044, -0.08, -0.01),
        ),
        inputs={
            "default": Fingerprint(
                source="logs/2024-05-*.parquet",
                rows=4_812_345,
                files=31,
                bytes=1_930_000_000,
                sha256="ab" * 32,
            ),
            "random": Fingerprint(
                source="random.parquet", rows=201_000, files=1, bytes=8_100_000, sha256="cd" * 32
            ),
        },
        seed=7,
        version="0.1.0",
        scope={
            "title": "Home feed: creator opportunity",
            "question": "Do creators of all ages have the same chance to reach the people who like them?",
            "system": "Home feed ranker, release 2024.5",
            "owner": "Responsible recommendations team",
        },
    ).document


def crowded(groups: int = 60) -> Document:
    """So many groups that nobody reads them all."""
    findings = [penalty(details={"groups": groups})]
    for number in range(groups):
        centre = 0.6 * (number / (groups - 1) - 0.5) * (1 if number % 2 else 0.7)
        half = 0.03 + 0.01 * (number % 5)
        name = f"Region {number:02d} with a rather long name" if number % 7 == 0 else f"region-{number:02d}"
        subject = {"by": "creator_region", "group": name}
        findings.append(utility(name, centre, centre - half, centre + half, subject=subject))
    return AuditResult(findings=tuple(findings), version="0.1.0").document


# Of every object of a script; of a terminal; of a line; of a template.
NAMES = ("constructor", "__proto__", "toString", "\x1b[31mred", "nul\x00", "a\u2028b", "{x}", "\u202eturned")


def hostile() -> Document:
    """Names that would break a page which trusts them."""
    script = "<script>alert(1)</script>"
    findings = (
        utility(script, -0.3, -0.4, -0.2),
        utility('</script><img src=x onerror="alert(2)">', 0.1, 0.05, 0.2),
        utility("[red]markup[/red] {{ 7*7 }} {size}", 0.05, 0.0, 0.1, warnings=(script,)),
        penalty(subject={"by": script}, measure=script),
        *(utility(name, 0.0, -0.05, 0.05) for name in NAMES),
    )
    scope = {"title": script, "<b>owner": "&amp;<i>"}
    return AuditResult(findings=findings, version="0.1.0", scope=scope).document


def associated(groups: int = 14) -> Document:
    """Embeddings that know an attribute: curves along a direction, and squares of cosines and of pairs."""
    rng = np.random.default_rng(1)
    users, items = rng.normal(size=(140, 3)), rng.normal(size=(10 * groups, 3))
    users[:60, 0] += 1.5
    genre = np.array([f"genre number {place}" for place in range(groups)])[np.arange(len(items)) % groups]
    items[:, 0] += np.arange(len(items)) % groups / groups
    gender = np.repeat(["women", "men"], [60, 80])
    found = association.audit(items, users, gender, genre, "centroid", 199, name="gender", tolerance=0.2)
    return found.document


def planned() -> Document:
    """Random traffic for the days that there are: a trade-off with two answers, and named shares."""
    found = plan_traffic(
        rates={"young": 0.02, "old": 0.03}, utilities={"young": 2.4, "old": 2.0}, rows_a_day=100_000, days=14,
        half_width=0.05, importance=0.2, random_share=[0.01, 0.1],
    )  # fmt: skip
    return found.document


@pytest.fixture
def make() -> SimpleNamespace:
    """The makers of findings and documents, by name."""
    makers = (
        interval,
        penalty,
        utility,
        ratio,
        equality,
        difference,
        utility_difference,
        typical,
        crowded,
        hostile,
        associated,
        planned,
    )
    return SimpleNamespace(**{maker.__name__: maker for maker in makers})
