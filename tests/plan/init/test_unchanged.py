"""A plan that init wrote may be written again, and one that somebody changed never."""

from __future__ import annotations

import os
import tomllib

import numpy as np
import pandas as pd
import pytest

from evenhand.errors import InputError
from evenhand.inputs import table
from evenhand.plan.init.command import run
from evenhand.plan.init.unchanged import may_be_written, signed

PLAN = '# An audit plan.\n\n[scope]\ntitle = "Größe"\n'


def test_a_plan_as_it_was_written(tmp_path):
    out = tmp_path / "audit.toml"
    assert may_be_written(out)
    out.write_bytes(signed(PLAN).encode())
    assert may_be_written(out)
    assert tomllib.loads(out.read_text()) == tomllib.loads(PLAN)


@pytest.mark.parametrize("place", range(0, len(signed(PLAN).encode()), 7))
def test_no_letter_may_be_changed(place, tmp_path):
    out = tmp_path / "audit.toml"
    written = signed(PLAN).encode()
    for changed in (written[:place] + b"%" + written[place + 1 :], written[:place], written[:place] + b" "):
        out.write_bytes(changed)
        assert not may_be_written(out)


def test_what_init_did_not_write_stays(tmp_path):
    out = tmp_path / "audit.toml"
    for content in (b"", PLAN.encode(), (signed(PLAN) + "# mine\n").encode(), b"\xff\x00"):
        out.write_bytes(content)
        assert not may_be_written(out)
    (tmp_path / "kept.toml").write_text(signed(PLAN))
    os.symlink(tmp_path / "kept.toml", tmp_path / "link.toml")
    assert not may_be_written(tmp_path / "link.toml")
    (tmp_path / "folder.toml").mkdir()
    assert not may_be_written(tmp_path / "folder.toml")


def test_init_again_on_folders_named_by_days(tmp_path):
    """The plan has one path, which reads every row; it is replaced until somebody changes it."""
    rng = np.random.default_rng(0)
    for day in ("2024-06-03", "2024-06-04", "2024-06-05"):
        for hour in range(4):
            path = tmp_path / "data/events" / day / f"{hour:02}.csv"
            path.parent.mkdir(parents=True, exist_ok=True)
            frame = pd.DataFrame(
                {"user_id": rng.integers(0, 300, 600), "item_id": rng.integers(0, 40, 600),
                 "clicked": rng.integers(0, 2, 600), "is_random": rng.integers(0, 2, 600),
                 "euro": rng.random(600).round(2)}
            )  # fmt: skip
            frame.to_csv(path, index=False, sep=";", decimal=",")
    items = pd.DataFrame({"item_id": range(40), "creator_gender": np.resize(["F", "M"], 40)})
    items.to_csv(tmp_path / "data/items.csv", index=False, sep=";")
    out = tmp_path / "audit.toml"
    assert run([str(tmp_path / "data")], out).written
    paths = {one["path"] for one in tomllib.loads(out.read_text())["inputs"].values()}
    assert paths == {"data/events/*/*.csv", "data/items.csv"}
    log = table(tmp_path / "data/events/*/*.csv")
    assert int(log.run(log.expr.aggregate(n=log.expr.euro.count())).n[0]) == 12 * 600
    first = out.read_text()
    assert run([str(tmp_path / "data")], out).written
    assert out.read_text() == first
    out.write_text(first.replace("0.11", "0.2"))
    with pytest.raises(InputError, match=r"audit\.toml is there already, .* such as --out .*data\.toml, or"):
        run([str(tmp_path / "data")], out)
    assert "0.2" in out.read_text()
