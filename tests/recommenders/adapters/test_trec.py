"""Runs of TREC as recommenders; their accuracy is that of ir-measures, which reads the same files."""

from pathlib import Path

import ir_measures
import numpy as np
import pytest
from ir_measures import RR, P, R, Success, nDCG

from evenhand.errors import InputError
from evenhand.recommenders.adapters import accuracy, as_recommender, from_trec

MEASURES = {"recall": R, "mrr": RR, "ndcg": nDCG, "hit": Success, "precision": P}


def a_run(folder: Path, seed: int, grades: int, ties: bool) -> tuple[Path, Path]:
    """With many ties, some only in 32 bits, or none; users without a list, without anything relevant, and in
    the run alone."""
    rng = np.random.default_rng(seed)
    run, qrels = [], []
    for user in range(60):
        items = rng.choice(200, size=rng.integers(1, 40), replace=False)
        scores = rng.integers(0, 5, len(items)) + rng.choice([0, 1e-9], len(items))
        if not ties:
            scores = rng.permutation(len(items)) / 8
        if user % 10 != 3:
            run += [f"{user} Q0 {i} 0 {s!r} t" for i, s in zip(items, scores.tolist(), strict=True)]
        if user % 10 != 4:
            some = {*rng.choice(items, size=min(3, len(items)), replace=False), *rng.choice(200, size=3)}
            low = 0 if user % 10 == 5 else 1
            graded = [(i, low and rng.integers(grades == 3 and -1, grades + 1)) for i in sorted(some)]
            qrels += [f"{user} 0 {item} {grade}" for item, grade in graded]
    paths = folder / "system.run", folder / "test.qrels"
    for path, rows in zip(paths, (run, qrels), strict=True):
        path.write_text("\n".join(rows) + "\n")
    return paths


@pytest.mark.parametrize("ties", [True, False])
@pytest.mark.parametrize("grades", [1, 3])
@pytest.mark.parametrize("k", [1, 5, 10, 50])
def test_accuracy_is_that_of_ir_measures(tmp_path: Path, k: int, grades: int, ties: bool) -> None:
    run, qrels = a_run(tmp_path, 7 * k + grades, grades, ties)
    asked = {name: measure @ k for name, measure in MEASURES.items()}
    # ir-measures asks trec_eval for all but RR@k, whose own order of ties is another one.
    if ties:
        asked["mrr"] = RR
    theirs = ir_measures.calc_aggregate(
        asked.values(),
        ir_measures.read_trec_qrels(str(qrels)),
        ir_measures.read_trec_run(str(run)),
    )
    ours = accuracy(run, qrels, k)
    for name, measure in asked.items():
        if name != "mrr" or not ties or k == 50:  # no list is longer
            assert ours[name] == pytest.approx(theirs[measure], abs=1e-9), name
    assert 0 < ours["ndcg"] < 1


def test_lists_are_in_the_order_of_trec_eval(tmp_path: Path) -> None:
    path = tmp_path / "system.run"
    path.write_text("u Q0 a 1 1 t\nu Q0 c 2 1 t\nu Q0 b 3 2 t\nv Q0 a 1 -3 t\n")
    model = as_recommender(path)
    assert model.rank(k=3)[["user_id", "item_id"]].to_numpy().tolist() == [
        ["u", "b"], ["u", "c"], ["u", "a"], ["v", "a"],
    ]  # fmt: skip
    assert model.score(["u", "v"], ["b", "a"]).tolist() == [2.0, -3.0]
    with pytest.raises(InputError, match="1 of 1 pairs have no score in the table"):
        model.score(["v"], ["b"])


def test_ids_are_of_the_type_of_those_that_are_given(tmp_path: Path) -> None:
    path = tmp_path / "system.run"
    path.write_text("1 Q0 10 1 1 t\n1 Q0 9 2 1 t\n")
    assert from_trec(path).item_ids.tolist() == [9, 10]
    model = from_trec(path, user_ids=["1", "2"], item_ids=["9", "10", "8"])
    assert model.user_ids.tolist() == ["1", "2"]
    assert model.rank(["1"])["item_id"].tolist() == ["9", "10"]
    with pytest.raises(InputError, match="1 item ids that are not among item_ids, for example 10"):
        from_trec(path, item_ids=[9])


def test_a_run_that_is_not_there_or_wrong(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the run: there is no file"):
        from_trec(tmp_path / "none.run")
    (tmp_path / "a.run").write_text("u Q0 i 1 .5 a tag\n")
    with pytest.raises(InputError, match=r"the run: line 1 of a.run has 7 fields"):
        from_trec(tmp_path / "a.run")
