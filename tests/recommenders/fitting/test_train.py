"""From interactions to a folder: what a training is stopped by, and what the model is judged by."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evenhand.recommenders import train_and_save
from evenhand.recommenders.fitting import fit as fitting


def pairs_of(rows):
    return {*zip(rows.user_ids[rows.user].tolist(), rows.item_ids[rows.item].tolist(), strict=True)}


@pytest.mark.parametrize(
    ("name", "split", "judge"),
    [
        ("bpr", "random", "RANKING"),
        ("two-tower", "leave-one-out", "RANKING"),
        ("deepfm", "leave-one-out", "PAIRS"),
        ("bert4rec", "time", "RANKING"),
    ],
)
def test_a_training_never_sees_the_test_part(name, split, judge, interactions, tmp_path, monkeypatch):
    pytest.importorskip("torch")
    looks = []
    known = getattr(fitting, judge)

    def value(model, held_out, seen):
        looks.append((pairs_of(held_out), seen.nnz))
        return known.value(model, held_out, seen)

    monkeypatch.setattr(fitting, judge, replace(known, value=value))
    negatives = 9 if split == "leave-one-out" else None
    trained = train_and_save(
        name, interactions, tmp_path, split=split, negatives=negatives, factors=4, epochs=2
    )
    parts = trained.split
    assert looks
    for held_out, seen in looks:
        assert held_out == pairs_of(parts.valid)
        assert seen == len(parts.train)
    assert not pairs_of(parts.test) & (pairs_of(parts.train) | pairs_of(parts.valid))
