import dataclasses
import itertools
import json

import numpy as np
import pytest

from evenhand.errors import InputError
from evenhand.recommenders import feedback_loop, fit


def popular(interactions, seed):
    return fit("popularity", interactions, interactions, seed)[0]


def test_each_round_adds_what_was_accepted_of_the_best_new_items(interactions):
    rounds = feedback_loop(popular, interactions, rounds=3, shown=6, accepted=2, after=lambda state: state)
    assert [state.number for state in rounds] == [0, 1, 2, 3]
    for before, after in itertools.pairwise(rounds):
        assert len(after.interactions) == len(before.interactions) + 120 * 2
        assert (after.interactions.matrix().data == 1).all()  # nothing is taken twice
        new = after.interactions.rows(np.arange(len(before.interactions), len(after.interactions)))
        shown, _ = before.model.top(np.arange(120), 6, exclude=before.interactions.matrix())
        assert all(item in shown[user] for user, item in zip(new.user, new.item, strict=True))


def test_the_top_is_accepted_more_often(interactions):
    def first_place(alpha):
        rounds = feedback_loop(
            popular, interactions, rounds=1, shown=10, accepted=1, alpha=alpha, after=lambda state: state
        )
        top, _ = rounds[0].model.top(np.arange(120), 1, exclude=interactions.matrix())
        return (rounds[1].interactions.item[-120:] == top[:, 0]).mean()

    assert first_place(3.0) > 0.85
    assert 0.02 < first_place(0.0) < 0.25


def test_a_loop_that_was_killed_goes_on_as_if_it_had_not_been(interactions, tmp_path):
    def answer(state):
        return [state.number, len(state.interactions), int(state.interactions.item.sum())]

    whole = feedback_loop(popular, interactions, rounds=4, after=answer)

    def killed(state):
        if state.number == 2:
            raise KeyboardInterrupt
        return answer(state)

    with pytest.raises(KeyboardInterrupt):
        feedback_loop(popular, interactions, rounds=4, after=killed, folder=tmp_path, name="popular")
    assert len(json.loads((tmp_path / "feedback.json").read_text())["answers"]) == 2
    said = []
    resumed = feedback_loop(
        popular, interactions, rounds=4, after=answer, folder=tmp_path, name="popular", progress=said.append
    )
    assert resumed == whole
    assert said[0] == "resumed after round 1"


def test_a_folder_of_another_loop_is_refused(interactions, tmp_path):
    feedback_loop(popular, interactions, rounds=1, folder=tmp_path, name="popular")
    for other in ({"rounds": 2, "name": "popular"}, {"rounds": 1, "name": "items in the top 10"}):
        with pytest.raises(InputError, match="belongs to a loop with another name, or with other settings"):
            feedback_loop(popular, interactions, folder=tmp_path, **other)
    for name in (None, "", 3):
        with pytest.raises(InputError, match=r"needs a name|name is 3, but must be text"):
            feedback_loop(popular, interactions, rounds=1, folder=tmp_path, name=name)


@pytest.mark.parametrize(
    "change",
    [
        None,
        {"answers": {}},
        {"answers": [1, 2, 3]},
        {"user": [500]},
        {"user": [-1], "item": [1]},
        {"user": [500], "item": [1]},
        {"user": [1], "item": [60]},
        {"user": [0.5], "item": [1]},
        {"user": ["1"], "item": ["1"]},
        {"user": None},
        {"user": [[1], [2]]},
    ],
)
def test_a_damaged_folder_is_refused(change, interactions, tmp_path):
    feedback_loop(popular, interactions, rounds=1, folder=tmp_path, name="popular")
    path = tmp_path / "feedback.json"
    path.write_text("{" if change is None else json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(InputError, match=r"feedback.json is damaged .*; delete it to begin anew"):
        feedback_loop(popular, interactions, rounds=1, folder=tmp_path, name="popular")


def test_a_model_of_other_items_is_refused(interactions):
    def other(data, seed):
        return popular(dataclasses.replace(data, item_ids=data.item_ids + 100), seed)

    says = r"the model that fit returned has other item ids than the interactions \(60 and 60\): 0 is in only"
    with pytest.raises(InputError, match=says):
        feedback_loop(other, interactions, rounds=1)


def test_a_table_is_interactions(tastes):
    rows = feedback_loop(popular, tastes, rounds=1, after=lambda state: len(state.interactions))
    assert rows == [2400, 3000]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"rounds": 0}, "rounds is 0"),
        ({"rounds": 1.5}, "rounds is 1.5"),
        ({"shown": "10"}, "shown is '10'"),
        ({"accepted": 11}, "accepted is 11, but must be a whole number from 1 to 10"),
        ({"alpha": -1}, "alpha is -1"),
        ({"alpha": float("nan")}, "alpha is nan"),
        ({"seed": -1}, "seed is -1"),
        ({"interactions": None}, "interactions is a NoneType, but must be Interactions"),
        ({"after": 3}, "after is 3, but must be a function"),
        ({"folder": "", "name": "x"}, "folder is '', but must be the path of a folder"),
        ({"seed": 2**63 - 1}, "seed is 9223372036854775807"),
    ],
)
def test_settings_that_make_no_sense(interactions, wrong, says):
    with pytest.raises(InputError, match=says):
        feedback_loop(**{"fit": popular, "interactions": interactions} | wrong)


def test_other_data_of_the_same_size_is_another_loop(interactions, tmp_path):
    feedback_loop(popular, interactions, rounds=1, folder=tmp_path, name="popular")
    mirrored = dataclasses.replace(interactions, item=59 - interactions.item)
    with pytest.raises(InputError, match="or with other settings or data"):
        feedback_loop(popular, mirrored, rounds=1, folder=tmp_path, name="popular")


def test_answers_that_cannot_be_kept_and_fits_that_are_no_models(interactions, tmp_path):
    with pytest.raises(InputError, match="must be plain JSON"):
        feedback_loop(
            popular, interactions, rounds=1, folder=tmp_path, name="popular", after=lambda state: state
        )
    with pytest.raises(InputError, match="fit must return a Recommender, but it returned a tuple"):
        feedback_loop(lambda data, seed: (1, 2), interactions, rounds=1)
