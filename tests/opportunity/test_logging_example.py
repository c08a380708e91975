"""The example of docs/howto/log-random-traffic.md runs as it stands, and finds who is preferred."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "log-random-traffic.md"


def test_the_example_runs(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    names = {}
    exec(compile(code, str(PAGE), "exec"), names)
    found = names["found"]
    assert "opportunity" in capsys.readouterr().out
    preferred = found.find("relative_utility", group="a")
    assert preferred.interval.low > 0.1
    assert found.find("reo_penalty").details["effective_random_rows"] < len(
        names["log"][names["log"]["from_random"]]
    )
