import numpy as np
import pytest

from evenhand.errors import InputError
from evenhand.groups.cells import Cells
from evenhand.groups.swarms.expectations import PRIOR, expectations, log_gain
from evenhand.groups.swarms.infobase import Infobase
from evenhand.groups.swarms.particles import DoubleEnded, Swarms
from evenhand.groups.swarms.search import METHODS, swarm

LEAST = 5
SHAPE = (2, 6, 15)


class Recommender:
    """Scores users and remembers who was asked for."""

    def __init__(self, values):
        self.values, self.asked, self.calls = values, [], 0

    def __call__(self, users):
        self.calls += 1
        self.asked += users.tolist()
        return self.values[users]


@pytest.fixture(scope="module")
def cells():
    """3,000 users; many of the 180 combinations are empty or too small."""
    rng = np.random.default_rng(5)
    columns = [
        rng.choice(count, size=3_000, p=(1 / np.arange(1, count + 1)) / (1 / np.arange(1, count + 1)).sum())
        for count in SHAPE
    ]
    return Cells.of(["a", "b", "c"], [[str(v) for v in range(count)] for count in SHAPE], columns)


@pytest.fixture(scope="module")
def values(cells):
    rng = np.random.default_rng(6)
    effects = [rng.normal(0, 0.1, count) for count in SHAPE]
    additive = sum(e[cells.codes[cells.of_user, a]] for a, e in enumerate(effects))
    return np.clip(0.5 + additive + rng.normal(0, 0.2, len(cells.of_user)), 0, 1)


def group_means(cells, values):
    """By a loop over the groups large enough: an oracle without shortcuts."""
    members = (values[cells.of_user == cell] for cell in np.flatnonzero(cells.sizes >= LEAST))
    return np.array([own[~np.isnan(own)].mean() for own in members if not np.isnan(own).all()])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("budget", [5, 6, 100, 777, 1_500])
def test_a_budget_is_never_exceeded_and_nobody_is_scored_twice(cells, values, method, budget):
    recommender = Recommender(values)
    seen = swarm(cells, LEAST, recommender, method=method, budget=budget, seed=1)
    assert len(recommender.asked) == len(set(recommender.asked)) == seen.users_scored <= budget
    assert sorted(recommender.asked) == sorted(np.flatnonzero(np.isin(cells.of_user, seen.cells)))
    assert len(set(seen.cells.tolist())) == len(seen.cells)
    assert (cells.sizes[seen.cells] >= LEAST).all()
    assert recommender.calls <= seen.iterations
    assert seen.stopped == "budget" or method == "pso"


@pytest.mark.parametrize("method", ["dpso", "random"])
def test_what_is_left_of_a_budget_does_not_pay_for_another_group(cells, values, method):
    seen = swarm(cells, LEAST, Recommender(values), method=method, budget=1_000, seed=2)
    others = np.setdiff1d(np.flatnonzero(cells.sizes >= LEAST), seen.cells)
    assert cells.sizes[others].min() > 1_000 - seen.users_scored


@pytest.mark.parametrize("method", METHODS)
def test_the_gap_is_that_of_the_groups_visited(cells, values, method):
    seen = swarm(cells, LEAST, Recommender(values), method=method, budget=1_200, seed=3)
    means = [seen.values[cells.of_user[seen.users] == cell].mean() for cell in seen.cells]
    assert seen.gap == pytest.approx(max(means) - min(means))
    np.testing.assert_array_equal(seen.values, values[seen.users])
    users, gaps = np.array(seen.trace).T
    assert (np.diff(users) >= 0).all()
    assert (np.diff(gaps) >= 0).all()
    assert users[-1] == seen.users_scored


@pytest.mark.parametrize("method", METHODS)
def test_the_same_seed_gives_the_same_answer(cells, values, method):
    once, again, other = (
        swarm(cells, LEAST, Recommender(values), method=method, budget=800, seed=seed) for seed in (4, 4, 5)
    )
    np.testing.assert_array_equal(once.cells, again.cells)
    np.testing.assert_array_equal(once.users, again.users)
    assert once.trace == again.trace
    assert once.cells.tolist() != other.cells.tolist()


@pytest.mark.parametrize("method", ["dpso", "random"])
def test_with_a_budget_of_everybody_the_gap_is_the_exhaustive_one(cells, values, method):
    seen = swarm(cells, LEAST, Recommender(values), method=method, budget=3_000, seed=6)
    assert seen.stopped == "all groups visited"
    assert sorted(seen.cells) == np.flatnonzero(cells.sizes >= LEAST).tolist()
    assert seen.gap == pytest.approx(np.ptp(group_means(cells, values)))


def test_users_without_a_value_are_left_out_of_means(cells, values):
    some = values.copy()
    some[::3] = np.nan
    some[cells.of_user == np.flatnonzero(cells.sizes >= LEAST)[0]] = np.nan  # a group without any value
    seen = swarm(cells, LEAST, Recommender(some), budget=3_000, seed=7)
    assert seen.stopped == "all groups visited"
    assert seen.gap == pytest.approx(np.ptp(group_means(cells, some)))


@pytest.mark.parametrize("method", METHODS)
def test_where_nobody_has_a_value_there_is_no_gap(cells, method):
    seen = swarm(cells, LEAST, Recommender(np.full(3_000, np.nan)), method=method, budget=500, seed=8)
    assert np.isnan(seen.gap)
    assert seen.users_scored > 0


def test_without_limits_there_are_the_iterations_of_the_source(cells, values):
    seen = swarm(cells, LEAST, Recommender(values), seed=9)
    assert (seen.stopped, seen.iterations) in {("iterations", 10), ("all groups visited", seen.iterations)}
    assert seen.iterations <= 10
    converged = swarm(cells, LEAST, Recommender(values), method="pso", seed=9)
    assert (converged.stopped, converged.iterations) == ("iterations", 10)


def test_seconds_stop_it_between_iterations(cells, values):
    said = []
    seen = swarm(cells, LEAST, Recommender(values), seconds=0, seed=10, progress=said.append)
    assert (seen.stopped, seen.iterations) == ("seconds", 1)
    assert said == [f"iteration 1: {seen.users_scored:,} users scored, gap {seen.gap:.4f}"]


def test_a_single_group(cells, values):
    largest = int(cells.sizes.max())
    for method in ("dpso", "random"):
        seen = swarm(cells, largest, Recommender(values), method=method, seed=11)
        assert (seen.stopped, seen.gap) == ("all groups visited", 0.0)


def test_what_cannot_be_searched_is_said_in_a_sentence(cells, values):
    largest = int(cells.sizes.max())
    with pytest.raises(InputError, match=rf"None of the {len(cells)} groups has 2,999 users .*has {largest}"):
        swarm(cells, 2_999, Recommender(values), seed=1)
    with pytest.raises(InputError, match="A budget of 4 users does not pay for a single group"):
        swarm(cells, LEAST, Recommender(values), budget=4, seed=1)
    with pytest.raises(InputError, match="There is no search 'ants'; there are: dpso, pso, random"):
        swarm(cells, LEAST, Recommender(values), method="ants", seed=1)
    with pytest.raises(InputError, match=r"score gave 1 values for [\d,]+ users"):
        swarm(cells, LEAST, lambda users: np.zeros(1), seed=1)


def test_best_positions_do_not_move_with_their_particles():
    swarms = Swarms(np.array([[1.0, 1.0], [5.0, 5.0]]), np.zeros((2, 2)))
    swarms.learn(np.array([0.8, 0.2]))
    swarms.positions[:] = 3.0
    np.testing.assert_array_equal(swarms.best_positions, [[1, 1], [5, 5]])
    swarms.learn(np.array([0.9, 0.9]))  # better for the first, which seeks the greatest, alone
    swarms.positions += 1
    np.testing.assert_array_equal(swarms.best_positions, [[3, 3], [5, 5]])
    swarms.learn(np.array([np.nan, np.nan]))
    np.testing.assert_array_equal(swarms.best_values, [0.9, -0.2])


def test_each_swarm_has_its_own_leader_and_centre():
    swarms = Swarms(np.array([[0.0], [1.0], [2.0], [5.0]]), np.zeros((4, 1)))
    swarms.learn(np.array([0.1, 0.4, 0.3, 0.2]))
    np.testing.assert_array_equal(swarms.leaders(), [[2], [5], [2], [5]])
    np.testing.assert_array_equal(swarms.centres(), [[1], [3], [1], [3]])


def test_every_step_visits_a_new_group_for_each_particle(cells, values):
    memory = Infobase(cells, LEAST, Recommender(values), None)
    search = DoubleEnded(memory, np.array(SHAPE), 6, np.random.default_rng(12))
    assert memory.visited.sum() == 6
    search.step()
    assert memory.visited.sum() == 12


def test_expectations_of_one_attribute_are_shrunken_means():
    cells = Cells.of(["a"], [["x", "y", "z"]], [np.repeat([0, 1, 2], [10, 40, 20])])
    memory = Infobase(cells, 1, Recommender(np.repeat([0.9, 0.2, 0.5], [10, 40, 20])), None)
    memory.visit(np.array([0, 1]))
    centre = (10 * 0.9 + 40 * 0.2) / 50
    spread = np.sqrt((10 * 0.9**2 + 40 * 0.2**2) / 50 - centre**2)
    expected, error = expectations(memory, np.array([3]))
    shrunken = [10 * (0.9 - centre) / (10 + PRIOR), 40 * (0.2 - centre) / (40 + PRIOR), 0]
    np.testing.assert_allclose(expected, centre + np.array(shrunken))
    np.testing.assert_allclose(
        error, spread * np.sqrt([1 / 10 + 1 / (10 + PRIOR), 1 / 40 + 1 / (40 + PRIOR), 1 / 20 + 1 / PRIOR])
    )


@pytest.mark.parametrize("goal", [1.0, -1.0])
def test_the_gain_is_that_of_a_normal_mean_beyond_the_best(goal):
    expected, error, best = np.array([0.2, 0.5, 0.6, 0.9]), np.array([0.3, 0.1, 0.1, 0.2]), 0.5
    rng = np.random.default_rng(13)
    means = expected + error * rng.normal(size=(1_000_000, 4))
    simulated = np.maximum(goal * (means - best), 0).mean(axis=0)
    np.testing.assert_allclose(np.exp(log_gain(expected, error, best, goal)), simulated, atol=3e-4)


def test_gains_that_are_most_unlikely_can_still_be_compared():
    far = log_gain(np.array([0.4, 0.3, -20.0]), np.full(3, 0.001), 0.5, 1.0)
    assert np.isfinite(far).all()
    assert (np.diff(far) < 0).all()
    z = 100.0  # the tail of the normal law: E max(Z - z, 0) = phi(z) / z^2 (1 - 3 / z^2 + ...)
    tail = -(z**2) / 2 - np.log(2 * np.pi) / 2 - 2 * np.log(z) + np.log(0.001)
    assert far[0] == pytest.approx(tail, abs=1e-3)


def test_half_of_the_users_are_enough_for_most_of_the_gap(cells, values):
    exact = np.ptp(group_means(cells, values))
    half = int(cells.sizes[cells.sizes >= LEAST].sum()) // 2
    found = {
        method: np.mean(
            [
                swarm(cells, LEAST, Recommender(values), method=method, budget=half, seed=seed).gap / exact
                for seed in range(20)
            ]
        )
        for method in METHODS
    }
    assert found["dpso"] > 0.95
    assert found["dpso"] > found["random"]
    assert found["dpso"] > found["pso"]
