"""Exact exposure in torch: against all permutations, against differences, and at the edges."""

from itertools import permutations
from typing import Any

import numpy as np
import pytest

from evenhand.errors import InputError
from exposure import oracle

pytestmark = pytest.mark.slow  # torch takes seconds to import


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch")


@pytest.fixture
def exposure(torch: Any) -> Any:
    from evenhand.exposure.training.differentiable import plackett_luce

    return plackett_luce


def enumerated(scores: np.ndarray, beta: float, weights: np.ndarray) -> np.ndarray:
    """Expected position weight over all rankings, each with its Plackett-Luce probability."""
    w = np.exp((scores - scores.max()) / beta)
    found = np.zeros(len(scores))
    for order in permutations(range(len(scores))):
        left = np.cumsum(w[list(order)][::-1])[::-1]
        found[list(order)] += np.prod(w[list(order)] / left) * weights
    return found


def position_weights(discount: str, patience: float, n: int) -> np.ndarray:
    return patience ** np.arange(n) if discount == "rbp" else 1 / np.log2(np.arange(n) + 2)


@pytest.mark.parametrize("discount", ["rbp", "dcg"])
@pytest.mark.parametrize("items", [1, 2, 6])
@pytest.mark.parametrize("beta", [0.05, 1.0, 30.0])
@pytest.mark.parametrize("patience", [0.05, 0.8, 0.99])
def test_it_is_the_mean_over_all_rankings(
    torch: Any, exposure: Any, discount: str, items: int, beta: float, patience: float
) -> None:
    scores = np.random.default_rng(items).normal(size=(3, items))
    weights = position_weights(discount, patience, items)
    wanted = np.stack([enumerated(row, beta, weights) for row in scores])
    for accuracy in (1e-4, 1e-9):
        found = exposure(torch.tensor(scores), beta, patience, discount, accuracy).numpy()
        assert np.abs(found - wanted).max() <= 2 * accuracy  # the mixture of DCG may err by as much again
    single = exposure(torch.tensor(scores, dtype=torch.float32), beta, patience, discount).numpy()
    assert np.abs(single - wanted).max() < 5e-6


@pytest.mark.parametrize("accuracy", [1e-3, 1e-6, 1e-9, 1e-12])
def test_the_error_is_below_the_accuracy_for_many_items(torch: Any, exposure: Any, accuracy: float) -> None:
    rng = np.random.default_rng(2)
    scores = torch.tensor(rng.normal(size=(4, 300)) * np.array([[0.0], [0.1], [2.0], [20.0]]))
    for patience in (0.1, 0.8, 0.98):
        total = (1 - patience**300) / (1 - patience)
        found = exposure(scores, 1.0, patience, accuracy=accuracy)
        assert float((found[0] - total / 300).abs().max()) <= accuracy  # equal scores
        reference = exposure(scores, 1.0, patience, accuracy=1e-14)
        assert float((found - reference).abs().max()) <= accuracy


@pytest.mark.parametrize("beta", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_scores_far_apart_give_the_static_ranking_and_no_overflow(
    torch: Any, exposure: Any, beta: float, dtype: str
) -> None:
    rows = [[1e6, -3e7, 0.0, 5e6, -1e30], [2.0e5, 1.0e5, 3.0e5, 4.0e5, 0.0]]
    scores = torch.tensor(rows, dtype=getattr(torch, dtype), requires_grad=True)
    found = exposure(scores, beta)
    wanted = 0.8 ** torch.tensor([[1.0, 3.0, 2.0, 0.0, 4.0], [2.0, 3.0, 1.0, 0.0, 4.0]])
    torch.testing.assert_close(found.detach().to(wanted.dtype), wanted, rtol=0, atol=4e-6)
    found[:, 0].sum().backward()
    assert float(scores.grad.abs().max()) < 1e-5 / beta


def test_one_weight_far_above_the_others_is_first(torch: Any, exposure: Any) -> None:
    scores = torch.zeros(1, 6, dtype=torch.float64)
    scores[0, 2] = np.log(1e12)
    found = exposure(scores, accuracy=1e-10)[0]
    wanted = torch.full((6,), (0.8 - 0.8**6) / 0.2 / 5, dtype=torch.float64)
    wanted[2] = 1.0
    torch.testing.assert_close(found, wanted, rtol=0, atol=1e-9)


@pytest.mark.parametrize("discount", ["rbp", "dcg"])
def test_items_that_are_absent_change_nothing(torch: Any, exposure: Any, discount: str) -> None:
    scores = torch.randn(3, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    padded = torch.full((4, 8), -torch.inf, dtype=torch.float64)
    padded[:3, [0, 2, 3, 6, 7]] = scores
    padded.requires_grad_()
    found = exposure(padded, 0.7, 0.6, discount, 1e-11)
    torch.testing.assert_close(
        found[:3, [0, 2, 3, 6, 7]], exposure(scores, 0.7, 0.6, discount, 1e-11), rtol=0, atol=3e-11
    )
    assert bool((found[padded == -torch.inf] == 0).all())
    found.square().sum().backward()
    assert bool((padded.grad[padded == -torch.inf] == 0).all())
    assert bool((padded.grad[:3, 0] != 0).all())


@pytest.mark.parametrize("discount", ["rbp", "dcg"])
@pytest.mark.parametrize("beta", [0.3, 2.0])
def test_gradients_are_those_of_differences(torch: Any, exposure: Any, discount: str, beta: float) -> None:
    scores = torch.randn(2, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
    scores[0, 1] = scores[0, 3]  # a tie
    scores.requires_grad_()
    assert torch.autograd.gradcheck(lambda y: exposure(y, beta, 0.6, discount, 1e-13), scores)


def test_gradients_of_many_items_are_those_of_plain_autograd(torch: Any, exposure: Any) -> None:
    """An independent way: the same integral, written out, kept whole and differentiated by torch."""
    scores = torch.randn(3, 200, dtype=torch.float64, generator=torch.Generator().manual_seed(4)) * 2
    upstream = torch.randn(3, 200, dtype=torch.float64, generator=torch.Generator().manual_seed(5))
    scores.requires_grad_()
    (found,) = torch.autograd.grad(exposure(scores, 1.0, 0.8, accuracy=1e-12), scores, upstream)
    x = torch.arange(-36, 8, 0.25, dtype=torch.float64)
    u = (scores[:, :, None] + x).exp()
    g = 0.8 + 0.2 * (-u).exp()
    plain = (u * (-u).exp() / g * g.log().sum(dim=1, keepdim=True).exp()).sum(dim=2) * 0.25
    (wanted,) = torch.autograd.grad(plain, scores, upstream)
    torch.testing.assert_close(found, wanted, rtol=0, atol=1e-10)


def test_single_precision_gradients_are_near_those_of_double(torch: Any, exposure: Any) -> None:
    scores = torch.randn(4, 500, dtype=torch.float64, generator=torch.Generator().manual_seed(6)) * 2
    slopes = []
    for dtype, accuracy in ((torch.float64, 1e-12), (torch.float32, 1e-6)):
        leaf = scores.detach().to(dtype, copy=True).requires_grad_()
        exposure(leaf, accuracy=accuracy)[:, :100].sum().backward()
        slopes.append(leaf.grad.double())
    assert float((slopes[0] - slopes[1]).abs().max()) < 5e-6


def test_users_do_not_depend_on_the_batch_they_come_in(
    torch: Any, exposure: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from evenhand.exposure.training import differentiable

    scores = torch.randn(7, 40, generator=torch.Generator().manual_seed(7)) * torch.arange(1, 8)[:, None]
    whole = exposure(scores)
    monkeypatch.setitem(differentiable.CHUNK, "cpu", 80)
    torch.testing.assert_close(exposure(scores), whole, rtol=0, atol=2e-6)


def test_backward_keeps_scores_alone(torch: Any, exposure: Any) -> None:
    kept = []
    scores = torch.randn(5, 30, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: kept.append(t) or t, lambda t: t):
        exposure(scores)
    assert [tuple(t.shape) for t in kept] == [(5, 30)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"beta": 0.0}, "beta is 0"),
        ({"patience": 1.0}, "patience is 1"),
        ({"patience": 0.0}, "patience is 0"),
        ({"discount": "dgc"}, "Did you mean 'dcg'"),
        ({"accuracy": 0.5}, "accuracy is 0.5"),
    ],
)
def test_bad_parameters_are_refused(torch: Any, exposure: Any, change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        exposure(torch.zeros(2, 3), **change)


def test_bad_scores_are_refused(torch: Any, exposure: Any) -> None:
    for wrong in (torch.nan, torch.inf):
        scores = torch.zeros(4, 3)
        scores[2, 1] = wrong
        with pytest.raises(InputError, match=r"1 of 12 scores are NaN or infinite, the first .* row 2"):
            exposure(scores)
    for scores in (torch.zeros(3), torch.zeros(2, 3, dtype=torch.int64), [[1.0, 2.0]]):
        with pytest.raises(InputError, match="scores must be a torch tensor"):
            exposure(scores)


@pytest.mark.parametrize("discount", ["rbp", "dcg"])
@pytest.mark.parametrize("k", [1, 2, 3, 5, 6, 9])
@pytest.mark.parametrize("beta", [0.05, 1.0, 30.0])
def test_a_cut_is_the_mean_over_all_rankings(
    torch: Any, exposure: Any, discount: str, k: int, beta: float
) -> None:
    scores = np.random.default_rng(k).normal(size=(3, 6))
    weights = oracle.weights_of(discount, 6, k, 0.7)
    wanted = np.array([oracle.enumerated(row.tolist(), beta, weights) for row in scores])
    for accuracy in (1e-4, 1e-9, 1e-12):
        found = exposure(torch.tensor(scores), beta, 0.7, discount, accuracy, k).numpy()
        assert np.abs(found - wanted).max() <= 2 * accuracy
    single = exposure(torch.tensor(scores, dtype=torch.float32), beta, 0.7, discount, k=k)
    assert single.dtype == torch.float32
    assert np.abs(single.numpy() - wanted).max() < 2e-6


@pytest.mark.parametrize("accuracy", [1e-4, 1e-11])
@pytest.mark.parametrize(("items", "k"), [(20, 19), (400, 1), (400, 10), (700, 25)])
def test_a_cut_of_many_items_is_that_of_numpy(
    torch: Any, exposure: Any, accuracy: float, items: int, k: int
) -> None:
    from evenhand.exposure import plackett_luce

    spreads = np.array([[0.0], [0.3], [2.0], [20.0], [200.0]])
    scores = np.random.default_rng(k).normal(size=(5, items)) * spreads
    for discount in ("rbp", "dcg"):
        wanted = plackett_luce(scores, 1.0, 0.97, discount, k, accuracy=1e-13)
        found = exposure(torch.tensor(scores), 1.0, 0.97, discount, accuracy, k).numpy()
        assert np.abs(found - wanted).max() <= accuracy


@pytest.mark.parametrize("k", [100, 500])
def test_long_cuts_are_those_of_numpy(torch: Any, exposure: Any, k: int) -> None:
    from evenhand.exposure import plackett_luce

    scores = np.random.default_rng(k).normal(size=(1, 520))
    wanted = plackett_luce(scores, 1.0, 0.8, "dcg", k, accuracy=1e-10)
    found = exposure(torch.tensor(scores), 1.0, 0.8, "dcg", 1e-6, k).numpy()
    assert np.abs(found - wanted).max() <= 1e-6


@pytest.mark.parametrize("discount", ["rbp", "dcg"])
@pytest.mark.parametrize("beta", [1e-3, 0.1, 10.0, 1e3])
def test_cut_exposures_add_up_to_the_weights_of_the_first_positions(
    torch: Any, exposure: Any, discount: str, beta: float
) -> None:
    scores = torch.tensor(np.random.default_rng(8).normal(size=(3, 300)))
    for k in (1, 4, 20):
        found = exposure(scores, beta, 0.9, discount, 1e-10, k)
        wanted = position_weights(discount, 0.9, k).sum()
        assert found.sum(dim=1).numpy() == pytest.approx(np.full(3, wanted), abs=300 * 1e-10)
        assert float(found.min()) > -1e-10


@pytest.mark.parametrize("beta", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_cut_of_scores_far_apart_is_that_of_the_static_ranking(
    torch: Any, exposure: Any, beta: float, dtype: str
) -> None:
    rows = [[1e6, -3e7, 0.0, 5e6, -1e30], [2.0e5, 1.0e5, 3.0e5, 4.0e5, 0.0]]
    scores = torch.tensor(rows, dtype=getattr(torch, dtype), requires_grad=True)
    found = exposure(scores, beta, k=3)
    wanted = torch.tensor([[0.8, 0.0, 0.64, 1.0, 0.0], [0.64, 0.0, 0.8, 1.0, 0.0]])
    torch.testing.assert_close(found.detach().float(), wanted, rtol=0, atol=2e-6)
    found[:, 0].sum().backward()
    assert float(scores.grad.abs().max()) < 1e-5 / beta


@pytest.mark.parametrize("discount", ["rbp", "dcg"])
@pytest.mark.parametrize("k", [2, 4, 5, 6])
def test_absent_items_change_nothing_in_a_cut(torch: Any, exposure: Any, discount: str, k: int) -> None:
    scores = torch.randn(3, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    padded = torch.full((4, 8), -torch.inf, dtype=torch.float64)  # one user has nothing
    there = [0, 2, 3, 6, 7]
    padded[:3, there] = scores
    padded.requires_grad_()
    found = exposure(padded, 0.7, 0.6, discount, 1e-11, k)
    torch.testing.assert_close(
        found[:3, there], exposure(scores, 0.7, 0.6, discount, 1e-11, k), rtol=0, atol=3e-11
    )
    assert bool((found[padded == -torch.inf] == 0).all())
    found.square().sum().backward()
    assert bool((padded.grad[padded == -torch.inf] == 0).all())
    assert bool((padded.grad[:3, 0] != 0).all())


@pytest.mark.parametrize("discount", ["rbp", "dcg"])
@pytest.mark.parametrize(("beta", "k"), [(2.0, 1), (0.3, 2), (2.0, 3), (0.3, 4)])
def test_gradients_of_a_cut_are_those_of_differences(
    torch: Any, exposure: Any, discount: str, k: int, beta: float
) -> None:
    scores = torch.randn(2, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
    scores[0, 1] = scores[0, 3]  # a tie
    scores.requires_grad_()
    assert torch.autograd.gradcheck(lambda y: exposure(y, beta, 0.6, discount, 1e-12, k), scores)


@pytest.mark.parametrize(("k", "spread"), [(1, 1.0), (5, 0.1), (5, 3.0), (30, 1.0), (10, 30.0)])
def test_gradients_of_a_cut_of_many_items_are_those_of_differences(
    torch: Any, exposure: Any, k: int, spread: float
) -> None:
    draw = torch.Generator().manual_seed(4)
    scores = torch.randn(3, 300, dtype=torch.float64, generator=draw) * spread
    upstream, towards = torch.randn(2, 3, 300, dtype=torch.float64, generator=draw)
    slopes = []
    for dtype, accuracy in ((torch.float64, 1e-12), (torch.float64, 1e-6), (torch.float32, 1e-6)):
        leaf = scores.to(dtype, copy=True).requires_grad_()
        exposure(leaf, 1.0, 0.9, "dcg", accuracy, k).backward(upstream.to(dtype))
        assert leaf.grad.dtype == dtype
        slopes.append(leaf.grad.double())
    ahead, behind = (exposure(scores + s * towards, 1.0, 0.9, "dcg", 1e-12, k) for s in (1e-4, -1e-4))
    difference = ((ahead - behind) * upstream).sum(dim=1) / 2e-4
    torch.testing.assert_close((slopes[0] * towards).sum(dim=1), difference, rtol=1e-6, atol=1e-6)
    assert float((slopes[1] - slopes[0]).abs().max()) < 1e-5
    assert float((slopes[2] - slopes[0]).abs().max()) < 1e-5
    assert float(slopes[0].sum(dim=1).abs().max()) < 1e-9  # only differences of scores matter


def test_users_cut_in_any_batch_are_the_same(
    torch: Any, exposure: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from evenhand.exposure.training import differentiable

    scores = torch.randn(7, 40, generator=torch.Generator().manual_seed(7)) * 3.0 ** torch.arange(7)[:, None]
    whole = exposure(scores, k=5)
    monkeypatch.setitem(differentiable.CHUNK, "cpu", 80)
    torch.testing.assert_close(exposure(scores, k=5), whole, rtol=0, atol=1e-6)


def test_a_cut_that_nobody_reaches_changes_nothing(torch: Any, exposure: Any) -> None:
    scores = torch.randn(3, 900, generator=torch.Generator().manual_seed(9))
    for changes in ({"k": 900}, {"k": 10**6}, {"patience": 0.5, "k": 40}, {"patience": 0.9, "k": 700}):
        uncut = exposure(scores, **{name: value for name, value in changes.items() if name != "k"})
        assert torch.equal(exposure(scores, **changes), uncut)
    assert exposure(torch.zeros(0, 5), k=2).shape == (0, 5)
    assert exposure(torch.zeros(5, 0), k=2).shape == (5, 0)


@pytest.mark.parametrize(
    ("k", "message"),
    [
        (0, "k is 0, but must be a whole number"),
        (2.0, "k is 2.0"),
        (True, "k is True"),
        (501, "k is 501 .* 600 items"),
    ],
)
def test_bad_cuts_are_refused(torch: Any, exposure: Any, k: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        exposure(torch.zeros(2, 600), discount="dcg", k=k)


def test_bad_scores_are_refused_with_a_cut_too(torch: Any, exposure: Any) -> None:
    scores = torch.zeros(4, 3)
    scores[2, 1] = torch.nan
    with pytest.raises(InputError, match=r"1 of 12 scores are NaN or infinite, the first .* row 2"):
        exposure(scores, k=2)
