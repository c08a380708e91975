"""docs/evidence/calibration/index.md names the calibration test of every finding that any audit can make."""

import re
from pathlib import Path

from evenhand.report.vocabulary.names import words

REPOSITORY = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| `(?P<measure>\w+)` \| (?P<test>[^|]+) \| [^|]* \|$", re.MULTILINE)


def listed() -> dict[str, str]:
    rows = ROW.findall((REPOSITORY / "docs" / "evidence" / "calibration" / "index.md").read_text())
    assert len(dict(rows)) == len(rows)
    return dict(rows)


def test_every_finding_is_listed_and_nothing_else():
    assert set(listed()) == set(words().measures)


def test_every_test_that_is_named_is_there():
    for measure, named in listed().items():
        if named.startswith("none: "):
            continue
        file, name = named.strip("`").split("::")
        tests = (REPOSITORY / "tests" / "calibration" / file).read_text()
        assert f"def {name}(" in tests, f"{measure}: there is no {named}"
