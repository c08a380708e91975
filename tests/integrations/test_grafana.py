"""The Grafana dashboard: its queries ask for what is written, and its parts fit together."""

import json
import re

import pytest

from evenhand.findings import Verdict
from evenhand.monitor import prometheus
from integrations.conftest import RECIPES
from monitor.page.watched import watch

DASHBOARD = json.loads((RECIPES / "grafana/evenhand.json").read_text())
PANELS = DASHBOARD["panels"]
VARIABLES = {one["name"]: one for one in DASHBOARD["templating"]["list"]}
QUERIES = [target["expr"] for panel in PANELS for target in panel["targets"]]
QUERIES += [one["definition"] for one in VARIABLES.values() if one["type"] == "query"]
SELECTOR = re.compile(r"(evenhand_\w+)(?:\{([^}]*)\})?")
# What a finding, a flag and a monitor are told apart by.
LABELS = {"monitor", "question", "audit", "measure", "who", "finding", "verdict", "side", "flag", "rule"}


def test_every_query_asks_for_a_metric_that_is_written():
    named = {name for query in QUERIES for name, _ in SELECTOR.findall(query)}
    written = set(
        re.findall(r"^# TYPE (\w+) ", prometheus.text(watch({1: 0.3}, looked_at=1.0)), re.MULTILINE)
    )
    assert named
    assert named <= written
    assert {"evenhand_estimate", "evenhand_low", "evenhand_high", "evenhand_verdict"} <= named


@pytest.mark.parametrize("query", QUERIES)
def test_every_query_selects_by_labels_values_and_variables_that_exist(query):
    assert SELECTOR.search(query)
    for _, matchers in SELECTOR.findall(query):
        for label, sign, value in re.findall(r'(\w+)(=~|=)"([^"]*)"', matchers):
            assert label in LABELS
            if value.startswith("$"):
                variable = VARIABLES[value[1:]]
                # Grafana writes a variable of several values as a pattern.
                assert sign == ("=~" if variable["multi"] else "=")
            else:
                assert value in {verdict.value for verdict in Verdict}
    assert query.count("(") == query.count(")")


def test_every_query_goes_to_the_data_source_that_is_chosen():
    chosen = {"type": "prometheus", "uid": "${datasource}"}
    assert VARIABLES["datasource"]["query"] == "prometheus"
    for part in (*PANELS, *(target for panel in PANELS for target in panel["targets"])):
        assert part["datasource"] == chosen


def test_panels_have_places_of_their_own():
    taken = set()
    for panel in PANELS:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
        cells = {
            (place["x"] + across, place["y"] + down)
            for across in range(place["w"])
            for down in range(place["h"])
        }
        assert not cells & taken
        taken |= cells
    assert len({panel["id"] for panel in PANELS}) == len(PANELS)
    assert all(panel["repeat"] in VARIABLES for panel in PANELS if "repeat" in panel)


def test_what_is_drawn_between_two_series_names_both():
    for panel in PANELS:
        told = {target["legendFormat"] for target in panel["targets"]}
        for override in panel["fieldConfig"]["overrides"]:
            matcher = override["matcher"]
            if matcher["id"] == "byName":
                assert matcher["options"] in told
            else:
                assert any(re.fullmatch(matcher["options"], name) for name in told)
            below = [one["value"] for one in override["properties"] if one["id"] == "custom.fillBelowTo"]
            assert set(below) <= told


def test_what_could_not_be_computed_is_not_shown_as_a_pass():
    (timeline,) = (panel for panel in PANELS if panel["type"] == "state-timeline")
    (query,) = (target["expr"] for target in timeline["targets"])
    assert (
        '(0 * (evenhand_verdict{monitor="$monitor",question=~"$question",verdict="within_tolerance"} == 1))'
        in query
    )
    assert "not_applicable" not in query
