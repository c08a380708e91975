"""From interactions to a folder: what a training is stopped by, and what the model is judged by."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evenhand.recommenders import train_and_save
from evenhand.recommenders.fitting import fit as fitting
from evenhand.recommenders.fitting import train as training


def pairs_of(rows):
    return {*zip(rows.user_ids[rows.user].tolist(), rows.item_ids[rows.item].tolist(), strict=True)}


def negatives(split):
    return 9 if split == "leave-one-out" else None


@pytest.mark.parametrize("split", ["random", "time", "leave-one-out"])
def test_a_training_is_given_no_test_part(split, interactions, tmp_path, monkeypatch):
    given = []

    def fit(name, train, valid, *rest, **settings):
        given.append((pairs_of(train), pairs_of(valid)))
        return fitting.fit(name, train, valid, *rest, **settings)

    monkeypatch.setattr(training, "fit", fit)
    parts = train_and_save(
        "popularity", interactions, tmp_path, split=split, negatives=negatives(split)
    ).split
    [(train, valid)] = given
    assert (train, valid) == (pairs_of(parts.train), pairs_of(parts.valid))
    assert not pairs_of(parts.test) & (train | valid)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "split", "judge"),
    [
        ("bpr", "random", "RANKING"),
        ("two-tower", "leave-one-out", "RANKING"),
        ("deepfm", "leave-one-out", "PAIRS"),
        ("bert4rec", "time", "RANKING"),
    ],
)
def test_a_training_is_stopped_by_the_validation_part_alone(
    name, split, judge, interactions, tmp_path, monkeypatch
):
    pytest.importorskip("torch")
    looks = []
    known = getattr(fitting, judge)

    def value(model, held_out, seen):
        looks.append((pairs_of(held_out), seen.nnz))
        return known.value(model, held_out, seen)

    monkeypatch.setattr(fitting, judge, replace(known, value=value))
    parts = train_and_save(
        name, interactions, tmp_path, split=split, negatives=negatives(split), factors=4, epochs=2
    ).split
    assert looks
    for held_out, seen in looks:
        assert held_out == pairs_of(parts.valid)
        assert seen == len(parts.train)
