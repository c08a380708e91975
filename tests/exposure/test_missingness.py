"""How strong missing relevance would have to be to explain a finding; how much of a target is relevance."""

import re

import numpy as np
import pytest

import evenhand as eh
from evenhand.exposure.evidence import Evidence
from evenhand.exposure.missingness import least_factor
from evenhand.exposure.pairs import critical, pairs
from evenhand.exposure.problem.rows import dense_rows
from evenhand.exposure.problem.sides import ItemGroups
from evenhand.exposure.problem.targets import equal_exposure, relevant_pairs
from evenhand.report.words.sentences import sentence
from exposure.plain import plain_target
from exposure.worlds import BLOCKS, WEIGHTS, make_world


@pytest.mark.parametrize("kind", ["dense", "listed"])
def test_sums_of_what_would_be_asked_for_without_some_relevance(kind):
    """In plain loops: the target of a group if nothing in it were relevant, and if nothing else were."""
    world = make_world(users=40, seed=3)
    evidence = world.evidence(kind)
    for g in range(3):
        for k, members in enumerate(world.item_lists):
            plain = np.zeros((2, 4))
            for user in np.flatnonzero(world.user_groups == g):
                grades = world.relevance[user]
                if not grades.any():
                    continue
                own, others = grades.copy(), grades.copy()
                own[[j for j in range(30) if j not in members]] = 0
                others[members] = 0
                t, without_own, without_others = (
                    np.mean([plain_target(list(some), list(WEIGHTS[:30]))[j] for j in members])
                    for some in (grades, others, own)
                )
                d = world.exposure[user, members].mean() - t
                for side, without in enumerate((without_own, without_others)):
                    s = abs(t - without)
                    plain[side] += (s, s * s, d * s, t * s)
            assert evidence.sums.unseen[g, k] == pytest.approx(plain, abs=1e-12)


def test_items_that_cannot_be_shown_ask_for_nothing():
    """Hidden items at the end of the catalogue change neither sums nor shares."""
    rng = np.random.default_rng(5)
    relevance, exposure = rng.random((50, 20)) < 0.3, rng.random((50, 20))
    relevance[:, 0] = True
    found = []
    for hidden in (0, 10):
        candidates = np.concatenate([np.ones((50, 20), bool), np.zeros((50, hidden), bool)], axis=1)
        wide = [np.concatenate([part, np.zeros((50, hidden))], axis=1) for part in (relevance, exposure)]
        target = equal_exposure(*relevant_pairs(wide[0]), candidates.sum(axis=1), WEIGHTS)
        evidence = Evidence.empty(ItemGroups.of(np.arange(20 + hidden) % 2), 1, **BLOCKS)
        blocks = make_world(users=50).blocks
        evidence.add(dense_rows(wide[1], target, candidates), np.zeros(50, int), blocks)
        found.append((evidence.sums.unseen[:, :, :, 0] * (20 + hidden), evidence.sums.wanted * (20 + hidden)))
    for one, two in zip(*found, strict=True):
        assert one == pytest.approx(two)


def shown_thrice(seen: float) -> tuple[Evidence, float]:
    """A group of items of whose relevance only a part is seen, shown as all of its relevance asks for."""
    rng = np.random.default_rng(6)
    world = make_world(users=600, groups=1, seed=6)
    truth = rng.random((600, 30)) < 0.3
    members = world.membership[:, 0] == 1
    observed = truth & (~members | (rng.random(truth.shape) < seen))
    observed[:, np.flatnonzero(~members)[0]] = truth[:, np.flatnonzero(~members)[0]] = True
    exposure = equal_exposure(*relevant_pairs(truth), 30, WEIGHTS).dense(30)
    targets = equal_exposure(*relevant_pairs(observed), 30, WEIGHTS)
    evidence = Evidence.empty(world.items, 1, **BLOCKS)
    evidence.add(dense_rows(exposure, targets), world.user_groups, world.blocks)
    return evidence, 1 / seen


@pytest.mark.parametrize("seen", [0.2, 0.5])
def test_the_factor_is_below_the_truth_that_explains_the_finding(seen):
    evidence, truth = shown_thrice(seen)
    off = pairs(evidence)
    assert off.low[0, 0] > 0.01
    factor = least_factor(evidence, off, (0, 0), 0.01, 0.95)
    assert 1 < factor < truth


def test_a_larger_tolerance_needs_less_to_explain():
    evidence, _ = shown_thrice(0.2)
    off = pairs(evidence)
    found = [least_factor(evidence, off, (0, 0), tolerance, 0.95) for tolerance in (0.01, 0.1, 0.2)]
    assert found == sorted(found, reverse=True)
    assert least_factor(evidence, off, (0, 0), 5.0, 0.95) == 1


def test_at_the_factor_the_interval_touches_the_tolerance():
    """With targets moved by the factor, the mean of E - 1.1 T' is t standard errors above 0."""
    evidence, _ = shown_thrice(0.2)
    off = pairs(evidence)
    factor = least_factor(evidence, off, (0, 0), 0.1, 0.95)
    n, c = 600, (factor - 1) * 1.1
    d, t = off.matrix.difference[0, 0], off.matrix.target[0, 0]
    s, ss, ds, ts = evidence.sums.unseen[0, 0, 0] / n
    dd, (dt, tt) = evidence.sums.cell_squares[0, 0] / n, evidence.sums.cell_products[0, 0] / n
    mean = d - 0.1 * t - c * s
    square = dd + 0.01 * tt + c * c * ss - 0.2 * dt - 2 * c * ds + 0.2 * c * ts
    quantile = critical(evidence, off.share, 0.95)[0, 0]
    assert mean == pytest.approx(quantile * np.sqrt((square - mean**2) / (n - 1)))


def one_each(relevant: int) -> dict:
    rng = np.random.default_rng(7)
    relevance = np.zeros((200, 60))
    for row in relevance:
        row[rng.choice(60, relevant, replace=False)] = 1
    return {
        "scores": rng.normal(size=(200, 60)) + 3 * (np.arange(60) % 3 == 0),
        "relevance": relevance,
        "user_groups": ["F", "M"] * 100,
        "item_groups": ["a", "b", "c"] * 20,
        "beta": "static",
        "tolerance": 0.2,
    }


def test_how_much_of_the_target_is_relevance_is_said_and_little_of_it_warned_of():
    """One relevant item has 1 of about 5; what the others share it would have had too."""
    few, many = eh.exposure.audit(**one_each(1)), eh.exposure.audit(**one_each(10))
    said = few.find("GG").details["from_relevance"]
    assert said == pytest.approx((1 - 0.8 / 0.2 / 59) / 5, abs=1e-3)
    assert any("Only 19% of the exposure" in text for text in few.find("GG").warnings)
    assert many.find("GG").details["from_relevance"] == pytest.approx(1 - 0.8**10, abs=0.05)
    for finding in many.findings:
        assert not any("comes from relevance" in text for text in finding.warnings)


def test_violations_say_what_would_explain_them():
    found = eh.exposure.audit(**one_each(10))
    pair = found.find("pair_exposure", group="a to F")
    assert pair.verdict == "violation"
    assert pair.details["unseen_factor"] > 1
    assert re.search(r"It might not stand if only \d+% of the relevant items of this group", sentence(pair))
    less = found.find("pair_exposure", group="b to F")
    assert (less.verdict, less.estimate < 0) == ("violation", True)
    assert "relevant items of other groups were observed, and all of this one" in sentence(less)
    cut = eh.exposure.audit(**one_each(10), k=5).find("pair_exposure", group="a to F")
    assert "unseen_factor" not in cut.details  # weights that stop at a place have no such bound
    dcg = eh.exposure.audit(**one_each(10), discount="dcg").find("pair_exposure", group="a to F")
    assert dcg.details["unseen_factor"] > 1


def test_few_users_are_warned_of():
    asked = one_each(10)
    small = {key: asked[key][:60] for key in ("scores", "relevance", "user_groups")}
    found = eh.exposure.audit(**(asked | small))
    for name, where in (("GG", "in a group"), ("pair_exposure", "in group ")):
        finding = next(finding for finding in found.findings if finding.measure == name)
        assert any(f"fewer than 50 users {where}" in text for text in finding.warnings)
    assert any("fewer than 500 users in all" in text for text in found.find("AG").warnings)
    large = {key: np.concatenate([asked[key]] * 3) for key in ("scores", "relevance", "user_groups")}
    for finding in eh.exposure.audit(**(asked | large)).findings:
        assert not any("fewer than" in text for text in finding.warnings)
