"""Files for Prometheus, read by its own parsers."""

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as open_metrics
from prometheus_client.parser import text_string_to_metric_families as read

from evenhand.monitor import prometheus
from evenhand.monitor.page.model import Flag
from monitor.page.watched import label, watch

HOSTILE = 'a "b" \\ c\nd{}, ä'


def _seconds(sample):
    return None if sample.timestamp is None else float(sample.timestamp)


def samples(text, parse=read):
    """Values by name, verdict or side, and time."""
    return {
        (
            sample.name,
            sample.labels.get("verdict") or sample.labels.get("side"),
            _seconds(sample),
        ): sample.value
        for family in parse(text)
        for sample in family.samples
    }


def test_the_last_look_has_each_number_once_and_no_time():
    found = samples(prometheus.text(watch({1: 0.02, 3: 0.3}, looked_at=1767600000.0)))
    assert found == {
        ("evenhand_estimate", None, None): 0.3,
        ("evenhand_low", None, None): 0.25,
        ("evenhand_high", None, None): pytest.approx(0.35),
        ("evenhand_limit", "above", None): 0.1,
        ("evenhand_verdict", "violation", None): 1,
        ("evenhand_verdict", "within_tolerance", None): 0,
        ("evenhand_verdict", "inconclusive", None): 0,
        ("evenhand_verdict", "not_applicable", None): 0,
        ("evenhand_flags_open", None, None): 0,
        ("evenhand_last_day_timestamp_seconds", None, None): 1767398400,
        ("evenhand_look_timestamp_seconds", None, None): 1767600000,
    }


def test_every_name_has_its_help_and_kind():
    families = list(read(prometheus.text(watch({1: 0.3}))))
    assert all(family.documentation == prometheus.HELP[family.name] for family in families)
    assert {family.type for family in families} == {"gauge"}


def test_what_has_no_number_has_a_verdict_alone():
    found = samples(prometheus.text(watch({1: 0.3, 2: None})))
    assert ("evenhand_estimate", None, None) not in found
    assert found["evenhand_verdict", "not_applicable", None] == 1


def test_names_from_outside_stay_in_their_labels():
    made = watch({1: 0.3}, group=HOSTILE, name=HOSTILE)
    (identifier,) = made.findings
    made = watch(
        {1: 0.3}, HOSTILE, name=HOSTILE, flags=(Flag(HOSTILE, HOSTILE, identifier, "open", label(1)),)
    )
    for parse, text in ((read, prometheus.text(made)), (open_metrics, prometheus.history(made))):
        for family in parse(text):
            assert family.name in prometheus.HELP
            assert {sample.labels["monitor"] for sample in family.samples} == {HOSTILE}
    (flag,) = (one for one in read(prometheus.text(made)) if one.name == "evenhand_flag_open")
    assert flag.samples[0].labels["flag"] == HOSTILE


def test_only_flags_that_are_open_are_told():
    flags = tuple(Flag("gap", state, "x", state, label(1)) for state in ("open", "closed", "withdrawn"))
    text = prometheus.text(watch({1: 0.3}, flags=flags))
    (told,) = (family for family in read(text) if family.name == "evenhand_flag_open")
    assert [sample.labels["flag"] for sample in told.samples] == ["open"]
    assert samples(text)["evenhand_flags_open", None, None] == 1


def test_the_history_has_every_day_with_its_time_and_leaves_gaps():
    text = prometheus.history(watch({1: 0.02, 3: 0.3}))
    assert text.endswith("# EOF\n")
    found = samples(text, open_metrics)
    times = sorted(time for name, _, time in found if name == "evenhand_estimate")
    assert times == [1767225600, 1767398400]
    assert found["evenhand_verdict", "violation", 1767398400] == 1
    assert found["evenhand_verdict", "violation", 1767225600] == 0


def test_a_file_is_written_whole(tmp_path):
    path = prometheus.write(watch({1: 0.3}), tmp_path / "metrics/feed.prom")
    assert samples(path.read_text())["evenhand_estimate", None, None] == 0.3
    assert [one.name for one in path.parent.iterdir()] == ["feed.prom"]
