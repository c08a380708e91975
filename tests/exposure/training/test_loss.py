"""The loss: the six measures against plain loops, batches that are unbiased, and what is refused."""

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from evenhand.errors import InputError

pytestmark = pytest.mark.slow  # torch takes seconds to import

USERS, ITEMS = 7, 5
USER_GROUPS = np.array([0, 0, 1, 1, 1, 0, 2])  # the last group has one member
ITEM_GROUPS = np.array([[1, 0], [1, 1], [0, 1], [0, 1], [1, 0]])
ALL = {"II": 1.0, "IG": 2.0, "GI": 3.0, "GG": 4.0, "AI": 5.0, "AG": 6.0}


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch")


@pytest.fixture
def world(torch: Any) -> tuple[Any, Any, Any]:
    """Scores, relevance, and a history that it does not overlap."""
    rng = np.random.default_rng(1)
    relevance = np.zeros((USERS, ITEMS), dtype=bool)
    relevance[np.arange(USERS), rng.integers(ITEMS, size=USERS)] = True
    relevance[:, 2] |= rng.random(USERS) < 0.5
    history = ~relevance & (rng.random((USERS, ITEMS)) < 0.2)
    scores = torch.tensor(rng.normal(size=(USERS, ITEMS)), requires_grad=True)
    return scores, torch.tensor(relevance), torch.tensor(history)


def loss_of(**changes: Any) -> Any:
    from evenhand.exposure.training.loss import JMELoss

    given = {"weights": ALL, "patience": 0.6, "normalise": False, "accuracy": 1e-12} | changes
    return JMELoss(USER_GROUPS, ITEM_GROUPS, given.pop("weights"), **given)


def plain(difference: np.ndarray) -> dict[str, float]:
    """The definitions, cell by cell."""
    people = [np.flatnonzero(g == USER_GROUPS) for g in range(3)]
    things = [np.flatnonzero(ITEM_GROUPS[:, k]) for k in range(2)]
    sides = {"I": [[i] for i in range(USERS)], "G": people, "A": [range(USERS)]}
    columns = {"I": [[j] for j in range(ITEMS)], "G": things}
    return {
        name: float(
            np.mean([difference[np.ix_(g, k)].mean() ** 2 for g in sides[name[0]] for k in columns[name[1]]])
        )
        for name in ALL
    }


@pytest.mark.parametrize("discount", ["rbp", "dcg"])
@pytest.mark.parametrize("k", [None, 1, 2, 4, 9])
def test_measures_are_their_definitions(torch: Any, world: Any, discount: str, k: int | None) -> None:
    from evenhand.exposure.training.differentiable import plackett_luce

    scores, relevance, history = world
    found = loss_of(discount=discount, k=k).measures(scores, relevance, history=history)
    shown = scores.detach().masked_fill(history, -torch.inf)
    exposure = plackett_luce(shown, 1.0, 0.6, discount, 1e-12, k).numpy()
    target = np.zeros((USERS, ITEMS))
    weights = 0.6 ** np.arange(ITEMS) if discount == "rbp" else 1 / np.log2(np.arange(ITEMS) + 2)
    weights = np.where(np.arange(ITEMS) < (k or ITEMS), weights, 0)
    for user in range(USERS):
        liked, there = relevance[user].numpy(), ~history[user].numpy()
        m, n = liked.sum(), there.sum()
        target[user, liked] = weights[:m].mean()
        target[user, there & ~liked] = weights[m:n].mean()
    assert target.sum() == pytest.approx(exposure.sum(), abs=1e-8)
    wanted = plain(exposure - target)
    assert {name: float(value.detach()) for name, value in found.items()} == pytest.approx(wanted, abs=1e-10)


def test_the_loss_is_the_weighted_sum_and_starts_at_the_sum_of_weights_if_normalised(world: Any) -> None:
    scores, relevance, history = world
    loss = loss_of()
    found = loss.measures(scores, relevance, history=history)
    total = sum(weight * float(found[name].detach()) for name, weight in ALL.items())
    assert float(loss(scores, relevance, history=history).detach()) == pytest.approx(total)
    normalised = loss_of(normalise=True)
    assert float(normalised(scores, relevance, history=history).detach()) == pytest.approx(21)
    other = normalised(2 * scores, relevance, history=history)
    after = loss.measures(2 * scores, relevance, history=history)
    assert float(other.detach()) == pytest.approx(
        sum(weight * float((after[name] / found[name]).detach()) for name, weight in ALL.items())
    )


def test_exposure_of_relevant_items_is_subtracted(torch: Any, world: Any) -> None:
    from evenhand.exposure.training.differentiable import plackett_luce

    scores, relevance, history = world
    shown = scores.detach().masked_fill(history, -torch.inf)
    exposed = float((plackett_luce(shown, 1.0, 0.6, accuracy=1e-12) * relevance).sum(dim=1).mean())
    without = float(loss_of()(scores, relevance, history=history).detach())
    both = loss_of(relevant=2.0)(scores, relevance, history=history)
    assert float(both.detach()) == pytest.approx(without - 2 * exposed)
    normalised = loss_of(relevant=2.0, normalise=True)
    assert float(normalised(scores, relevance, history=history).detach()) == pytest.approx(21 - 2)
    # Alone it is a ranking loss: the control of a fine-tuning without any fairness.
    alone = loss_of(relevant=1.0, weights={}, normalise=True)
    (slope,) = torch.autograd.grad(alone(scores, relevance, history=history), scores)
    after = alone(scores.detach() - 1e-2 * slope, relevance, history=history)
    assert float(after) < -1


@pytest.mark.parametrize("size", [2, 3, 5])
def test_over_all_batches_the_loss_and_its_gradient_are_those_of_all_users(
    torch: Any, world: Any, size: int
) -> None:
    scores, relevance, history = world
    loss = loss_of()
    whole = loss(scores, relevance, history=history)
    (slope,) = torch.autograd.grad(whole, scores)
    batches = [torch.tensor(batch) for batch in combinations(range(USERS), size)]
    values = [loss(scores[batch], relevance[batch], batch, history[batch]) for batch in batches]
    mean = torch.stack(values).mean()
    (mean_slope,) = torch.autograd.grad(mean, scores)
    assert float(mean.detach()) == pytest.approx(float(whole.detach()), rel=1e-10)
    torch.testing.assert_close(mean_slope, slope, rtol=1e-8, atol=1e-10)


def test_running_means_of_one_batch_repeated_are_those_of_all_users(torch: Any, world: Any) -> None:
    scores, relevance, history = world
    whole = loss_of()(scores, relevance, history=history)
    running = loss_of(batches="running", memory=0.5)
    for _ in range(3):
        value = running(scores, relevance, history=history)
    assert float(value.detach()) == pytest.approx(float(whole.detach()), rel=1e-10)
    slopes = [torch.autograd.grad(each, scores)[0] for each in (whole, value)]
    torch.testing.assert_close(slopes[1], slopes[0], rtol=1e-8, atol=1e-12)


def test_running_means_remember_users_who_are_not_in_the_batch(torch: Any, world: Any) -> None:
    scores, relevance, history = world
    loss = loss_of(batches="running", memory=0.75, weights={"AI": 1.0})
    first, second = torch.arange(0, 4), torch.arange(4, 7)
    means = []
    for batch in (first, second):
        difference, _ = loss._differences(scores[batch], relevance[batch], batch, history[batch])
        means.append(difference.detach().mean(dim=0))
        value = loss(scores[batch], relevance[batch], batch, history[batch])
    expected = (0.75 * means[0] + 0.25 * means[1]).square().mean()
    assert float(value.detach()) == pytest.approx(float(expected), rel=1e-5)


@pytest.mark.parametrize("k", [None, 2])
def test_a_step_against_the_gradient_makes_each_measure_smaller(
    torch: Any, world: Any, k: int | None
) -> None:
    scores, relevance, history = world
    for name in ALL:
        loss = loss_of(weights={name: 1.0}, k=k)
        before = loss(scores, relevance, history=history)
        (slope,) = torch.autograd.grad(before, scores)
        assert bool((slope[history] == 0).all())
        step = 1e-2 * slope / slope.norm()
        after = loss(scores.detach() - step, relevance, history=history)
        expected = float(before.detach()) - 1e-2 * float(slope.norm())
        assert float(after) == pytest.approx(expected, abs=1e-4 * float(before.detach()) + 1e-5)
        assert float(after) < float(before.detach())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weights": {"GX": 1.0}}, "must be one of II"),
        ({"weights": {"GG": 0.0}}, "names no measure"),
        ({"weights": {"GG": -1.0}}, "weight of GG"),
        ({"patience": 1.0}, "patience is 1"),
        ({"beta": 0.0}, "beta is 0"),
        ({"relevant": -1.0}, "relevant is -1"),
        ({"batches": "some"}, "batches"),
        ({"k": 0}, "k is 0"),
    ],
)
def test_bad_settings_are_refused(torch: Any, change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        loss_of(**change)


def test_bad_groups_are_refused(torch: Any) -> None:
    from evenhand.exposure.training.loss import JMELoss

    with pytest.raises(InputError, match="user group 1 has no members"):
        JMELoss([0, 2], [0, 1], {"GG": 1.0})
    with pytest.raises(InputError, match="item_groups must be a code"):
        JMELoss([0, 1], [0.5, 1.0], {"GG": 1.0})


def test_bad_batches_are_refused(torch: Any, world: Any) -> None:
    scores, relevance, _ = world
    loss = loss_of()
    with pytest.raises(InputError, match=r"relevance has the shape \(7, 4\)"):
        loss(scores, relevance[:, :4])
    with pytest.raises(InputError, match="history does not contain"):
        loss(scores, relevance, history=relevance)
    nobody = relevance.clone()
    nobody[3] = False
    with pytest.raises(InputError, match="1 of 7 users have no relevant item, the first in row 3"):
        loss(scores, nobody)
    one = torch.tensor([2])
    with pytest.raises(InputError, match="one user only"):
        loss(scores[one], relevance[one], one)


def test_groups_may_be_frames_and_sparse_tables(torch: Any) -> None:
    from evenhand.exposure import JMELoss

    member = np.array([[1, 0], [0, 1], [1, 1]])
    known = JMELoss([0, 1], member, {"GG": 1.0}).item_means
    for given in (pd.DataFrame(member), sparse.csr_array(member), member.astype(bool)):
        assert torch.equal(JMELoss([0, 1], given, {"GG": 1.0}).item_means, known)
    assert torch.equal(
        JMELoss(pd.Series([0, 1], index=["u", "v"]), member, {"GG": 1.0}).user_groups[:, 0],
        torch.tensor([1.0, 0.0], dtype=torch.float64),
    )
    with pytest.raises(InputError, match="user_groups: its index numbers the users in another order"):
        JMELoss(pd.Series([0, 1], index=[1, 0]), member, {"GG": 1.0})
