"""The benchmark of fine-tuning on a small world: accuracy as elsewhere, choices that cannot see test rows."""

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.slow  # torch takes seconds to import

PATH = Path(__file__).parents[2] / "benchmarks" / "exposure_training.py"
USERS, ITEMS, FACTORS = 30, 40, 4


@pytest.fixture(scope="module")
def benchmark() -> Any:
    pytest.importorskip("torch")
    spec = importlib.util.spec_from_file_location("benchmark_of_training", PATH)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look for the module of their types
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.fixture
def stored() -> dict[str, Any]:
    """16 rows a user, four in each part, as `prepare` would write them."""
    rng = np.random.default_rng(0)
    item = np.concatenate([rng.permutation(ITEMS)[:16] for _ in range(USERS)])
    vectors = {
        prefix + name: rng.normal(size=shape).astype(np.float32)
        for prefix in ("", "all_")
        for name, shape in (("users", (USERS, FACTORS)), ("items", (ITEMS, FACTORS)), ("bias", ITEMS))
    }
    return vectors | {
        "name": np.array("small"),
        "seed": np.array(0),
        "user": np.repeat(np.arange(USERS), 16).astype(np.int16),
        "item": item.astype(np.int16),
        "part": np.tile(np.repeat(np.arange(4), 4), USERS).astype(np.uint8),
        "user_groups": np.arange(USERS) % 2,
        "item_groups": np.arange(ITEMS)[:, None] % 3 == np.arange(3),
    }


def test_ndcg_is_that_of_full_ranking(benchmark: Any, stored: dict[str, Any]) -> None:
    from evenhand.recommenders import Factors, Interactions
    from evenhand.recommenders.evaluation import full_ranking

    def rows(parts: list[int]) -> Interactions:
        chosen = np.isin(stored["part"], parts)
        unknown = np.full(chosen.sum(), np.nan)
        user, item = (stored[side][chosen].astype(int) for side in ("user", "item"))
        return Interactions(np.arange(USERS), np.arange(ITEMS), user, item, unknown, unknown)

    for task, model, seen, judged in (
        (benchmark.rehearsal(stored, "cpu"), "", [0, 1], [2]),
        (benchmark.performance(stored, "cpu"), "all_", [0, 1, 2], [3]),
    ):
        vectors = (stored[model + name] for name in ("users", "items", "bias"))
        recommender = Factors(np.arange(USERS), np.arange(ITEMS), *vectors)
        expected = full_ranking(recommender, rows(judged), rows(seen).matrix())["ndcg"]
        assert task.judge(task.start, 1.0)["ndcg"] == pytest.approx(expected)


def test_other_test_rows_leave_what_was_chosen(
    benchmark: Any, stored: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    other = dict(stored)
    test = stored["part"] == benchmark.TEST
    other["item"] = stored["item"].copy()
    for user in range(USERS):
        rows = stored["user"] == user
        unseen = np.setdiff1d(np.arange(ITEMS), stored["item"][rows])
        other["item"][rows & test] = unseen[:4]
    found = []
    for name, world in (("one", stored), ("other", other)):
        np.savez(tmp_path / f"{name}.npz", **world)
        out = tmp_path / f"{name}.json"
        arguments = [
            "tune", str(tmp_path / f"{name}.npz"), "--out", str(out), "--betas", "1,.5", "--rates", ".01",
            "--weights", ".1,1", "--steps", "1,3", "--targets", "GG + AG,II", "--other-betas", "2,1",
        ]  # fmt: skip
        monkeypatch.setattr(sys, "argv", [str(PATH), *arguments])
        benchmark.main()
        found.append(json.loads(out.read_text())[0])
    one, two = ([result["setting"] for result in seed["results"].values()] for seed in found)
    assert one == two
    assert found[0]["results"]["GG + AG"]["after"] != found[1]["results"]["GG + AG"]["after"]
    capsys.readouterr()
    benchmark.tables([tmp_path / "one.json"])
    assert "| GG + AG |" in capsys.readouterr().out
