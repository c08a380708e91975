"""The browser looks at the same results as the tests of the report do."""

from __future__ import annotations

import importlib.util
from pathlib import Path

_path = Path(__file__).parents[1] / "report" / "conftest.py"
_specification = importlib.util.spec_from_file_location("report_examples", _path)
assert _specification is not None
assert _specification.loader is not None
_examples = importlib.util.module_from_spec(_specification)
_specification.loader.exec_module(_examples)

make = _examples.make
