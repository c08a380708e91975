"""What was hidden cannot be found out from all that is written, whatever the audit."""

from __future__ import annotations

import json
from functools import cache, reduce
from operator import add
from typing import Any

import pytest

import evenhand as eh
from small_cells.attacker import recovered_counts, recovered_values, written
from small_cells.worlds import WORLDS

# Of these no published number rests on the hidden group, so that not even a last digit may tell.
WITHOUT_A_TRACE = ("missing_left_out", "rows_left_out", "plan_traffic", "groups_left_out")


@cache
def audited(name: str, few: int) -> eh.AuditResult:
    return WORLDS[name].audit(few)


def both(name: str) -> list[eh.AuditResult]:
    return [audited(name, few) for few in WORLDS[name].few]


def naive(result: eh.AuditResult, min_cell: int) -> eh.AuditResult:
    """As if only what names the small group were hidden."""

    def hide(finding: eh.Finding) -> eh.Finding:
        names = str(finding.subject.get("group", "")), str(finding.subject.get("value", ""))
        small = "tiny" in " ".join((*names, str(finding.subject.get("direction", ""))))
        empty = {"estimate": None, "interval": None, "n": None, "details": {}, "more_data": None}
        return finding.amended(**empty if small else {})

    return eh.AuditResult(tuple(map(hide, result.findings)), result.inputs, result.seed)


def attack(result: eh.AuditResult, published: eh.AuditResult, text: str, few: int) -> list[str]:
    empty = [(one.measure, one.subject) for one in published.findings if one.estimate is None]
    plans = [measure for measure, _ in empty if measure.startswith("planned")]
    computed = [one for one in result.findings if one.estimate is not None]
    hidden = [one for one in computed if (one.measure, one.subject) in empty or one.measure in plans]
    small = [one for one in hidden if one.people is not None and set(one.people) == {"tiny"}]
    counts = [one.n.count for one in small if one.n is not None]
    counts += [count for one in small for count in one.details.values() if isinstance(count, int)]
    targets = {count for count in counts if count > 20} | {few}
    shown = [one for one in published.findings if one.estimate is not None]
    return recovered_values(hidden, shown, text) + recovered_counts(targets, published)


@pytest.mark.parametrize("name", WORLDS)
def test_nothing_that_is_hidden_follows_from_what_is_written(name, tmp_path):
    few, min_cell = WORLDS[name].few[0], WORLDS[name].min_cell
    result = audited(name, few)
    result.save(tmp_path, min_cell=min_cell)
    published = result.published(min_cell)
    text = "\n".join(
        (written(tmp_path), str(published), published.to_frame().to_csv(), published._repr_html_())
    )
    assert not [one for one in published.findings if one.estimate is not None and "tiny" in _about(one)]
    assert attack(result, published, text, few) == []


def _about(finding: eh.Finding) -> str:
    return " ".join([*map(str, finding.subject.values()), *(finding.people or {})])


@pytest.mark.parametrize(
    "names",
    [
        ("opportunity", "compare", "series", "stages", "boost", "parity", "user_precision", "plan_traffic"),
        ("exposure", "groups", "groups_that_overlap", "envy", "rerank"),
    ],
)
def test_nor_from_several_audits_in_one_report(names):
    """What one audit hides another one of the same people does not tell."""
    world = WORLDS[names[0]]
    result = reduce(add, [audited(name, world.few[1]) for name in names])
    published = result.published(world.min_cell)
    assert not [one for one in published.findings if one.estimate is not None and "tiny" in _about(one)]
    assert attack(result, published, published.to_json(), world.few[1]) == []


@pytest.mark.parametrize("name", ["opportunity", "compare", "stages", "parity", "envy", "groups_left_out"])
def test_the_attacker_finds_what_a_careless_report_gives_away(name):
    """A test of the test: where only the small group itself is hidden, it is found out."""
    few, min_cell = WORLDS[name].few[0], WORLDS[name].min_cell
    result = audited(name, few)
    published = naive(result, min_cell)
    assert attack(result, published, published.to_json(), few)


@pytest.mark.parametrize("name", [name for name, world in WORLDS.items() if world.same_others])
def test_no_count_and_no_word_depends_on_how_few_there_are(name):
    """Two worlds that differ in who is in the small group, and are alike in all else."""
    told = [_told(result.published(WORLDS[name].min_cell), name) for result in both(name)]
    assert told[0] == told[1]


def _told(result: eh.AuditResult, name: str) -> list[Any]:
    document = json.loads(result.to_json())
    document["inputs"] = {key: value | {"sha256": ""} for key, value in document["inputs"].items()}
    return list(_leaves(document, exact=name in WITHOUT_A_TRACE))


def _leaves(value: Any, *, exact: bool) -> Any:
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _leaves(item, exact=exact)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item, exact=exact)
    elif not isinstance(value, float) or exact:
        yield value
