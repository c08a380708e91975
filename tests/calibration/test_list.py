"""docs/calibration.md names the calibration test of every finding that any audit can make."""

import re
from pathlib import Path

from evenhand.report.vocabulary import MEASURES

REPOSITORY = Path(__file__).resolve().parents[2]
# What no simulation has tried to refute; a new finding does not belong here.
NOT_YET = {"uf_change", "average_envy", "sampled_envy", "audit_duration", "audit_cost"}
ROW = re.compile(r"^\| `(?P<measure>\w+)` \| (?P<test>[^|]+) \| [^|]* \|$", re.MULTILINE)


def listed() -> dict[str, str]:
    rows = ROW.findall((REPOSITORY / "docs" / "calibration.md").read_text())
    assert len(dict(rows)) == len(rows)
    return dict(rows)


def test_every_finding_is_listed_and_nothing_else():
    assert set(listed()) == set(MEASURES)


def test_every_test_that_is_named_is_there():
    for measure, named in listed().items():
        assert named.startswith("not yet: ") == (measure in NOT_YET), measure
        if named.startswith(("none: ", "not yet: ")):
            continue
        file, name = named.strip("`").split("::")
        tests = (REPOSITORY / "tests" / "calibration" / file).read_text()
        assert f"def {name}(" in tests, f"{measure}: there is no {named}"
