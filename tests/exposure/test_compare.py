"""Trade-offs over temperatures, several patiences, weights, and the published target, at the front door."""

import json

import numpy as np
import pytest

import evenhand as eh
from evenhand.exposure.curves import area, areas, kendall, mean_between, shared_range
from evenhand.exposure.policy import blocks_within
from evenhand.report.pages import html, tables
from evenhand.report.pages.arrange import Family, sections
from evenhand.report.pictures.gallery import pictures_of, pictures_of_each, pictures_together
from evenhand.report.suppression.suppress import suppress
from evenhand.report.words import sentences

USERS, ITEMS = 48, 10
NAMES = ("II", "IG", "GI", "GG", "AI", "AG")
BETAS = (4, 1, 0.25, "static")


@pytest.fixture(scope="module")
def world():
    rng = np.random.default_rng(3)
    relevance = (rng.random((USERS, ITEMS)) < 0.3) | (np.arange(ITEMS) == 4)
    return {
        "relevance": relevance.astype(int),
        "user_groups": np.where(np.arange(USERS) % 3 == 0, "F", "M"),
        "item_groups": [["a"], ["b"], ["a", "b"], ["c"], ["c"]] * 2,
    }


@pytest.fixture(scope="module")
def systems(world):
    rng = np.random.default_rng(4)
    noise = rng.normal(size=(USERS, ITEMS))
    return {"good": 2 * world["relevance"] + noise, "bad": noise}


def values(picture):
    (table,) = picture.specification["datasets"].values()
    return table


def test_an_audit_of_three_temperatures_has_the_areas_of_its_own_findings(world, systems):
    result = eh.exposure.audit(systems["good"], **world, beta=BETAS)
    for name in NAMES:
        points = [result.find(name, beta=beta).details for beta in BETAS]
        parts = {part: np.array([p[part] for p in points]) for part in ("disparity", "relevance")}
        x, y = ((v - v.min()) / np.ptp(v) for v in parts.values())
        found = result.find("tradeoff", measure=name)
        assert found.details["trapezoid"] == pytest.approx(area(x, y))
        assert found.estimate == pytest.approx(area(x, y))  # one system reaches all disparities from 0 to 1
        (curve,) = found.pictures[0].lines
        assert curve.labels == tuple(map(str, BETAS))
        assert [disparity for disparity, _ in curve.points] == pytest.approx(list(x))
    assert not any(finding.measure == "measure_agreement" for finding in result.findings)


def test_measures_agree_over_five_settings(world, systems):
    result = eh.exposure.audit(systems["good"], **world, beta=(8, *BETAS))
    agreement = result.find("measure_agreement")
    matrix = kendall(
        {name: [result.find(name, beta=beta).estimate for beta in (8, *BETAS)] for name in NAMES}
    )
    assert [cell.value for cell in agreement.pictures[0].cells] == matrix.ravel().tolist()
    assert agreement.estimate == matrix[~np.eye(6, dtype=bool)].min()
    assert agreement.details["first"] != agreement.details["second"]


def test_temperatures_of_a_trade_off_need_no_findings_of_their_own(world, systems):
    asked = eh.exposure.audit(systems["good"], **world, beta=1, tradeoff=["static", 0.25, 4, 1])
    whole = eh.exposure.audit(systems["good"], **world, beta=BETAS)
    assert {f.subject["beta"] for f in asked.findings} == {1, "several"}
    for name in NAMES:
        one, other = (result.find("tradeoff", measure=name) for result in (asked, whole))
        assert one == other


def test_systems_are_normalised_together(world, systems):
    result = eh.exposure.compare(systems, **world, tradeoff=BETAS)
    each = {name: eh.exposure.audit(scores, **world, beta=BETAS) for name, scores in systems.items()}

    def curves(measure, part):
        return {
            name: [audited.find(measure, beta=beta).details[part] for beta in BETAS]
            for name, audited in each.items()
        }

    for measure in NAMES:
        wanted = areas(curves(measure, "disparity"), curves(measure, "relevance"))
        for name in systems:
            found = result.find("tradeoff", measure=measure, group=name)
            assert found.details["trapezoid"] == pytest.approx(wanted[name]["trapezoid"])
            assert found.details["common"] == pytest.approx(wanted[name]["common"])
    better = result.find("tradeoff", measure="II", group="good")
    assert better.estimate > result.find("tradeoff", measure="II", group="bad").estimate
    assert result.find("measure_agreement").details["points"] == 8


def test_a_wider_range_of_disparity_is_no_merit():
    """One curve is above the other wherever both are, but ends early: a smaller area, a larger mean."""
    x = {"early": np.array([0.0, 0.25, 0.5]), "late": np.array([0.0, 0.5, 1.0])}
    y = {"early": np.array([0.0, 0.5, 0.8]), "late": np.array([0.0, 0.4, 0.9])}
    assert area(x["early"], y["early"]) < area(x["late"], y["late"])
    low, high = shared_range(x)
    assert (low, high) == (0, 0.5)
    means = {name: mean_between(x[name], y[name], low, high) for name in x}
    assert means == pytest.approx({"early": 0.45, "late": 0.2})
    assert shared_range({"a": np.array([0.0, 0.1]), "b": np.array([0.2, 0.3])}) is None


def test_measures_of_systems_stand_together(world, systems):
    result = eh.exposure.compare(systems, **world, tradeoff=BETAS)
    for name, scores in systems.items():
        alone = eh.exposure.audit(scores, **world, beta="static").find("GG")
        together = result.find("GG", beta="static", group=name)
        assert (together.estimate, together.interval) == (alone.estimate, alone.interval)


def test_corrected_areas_stand_beside(world, systems):
    found = eh.exposure.audit(systems["good"], **world, beta=BETAS).find("tradeoff", measure="GI")
    assert found.details["corrected"] != found.estimate
    assert found.details["corrected"] == pytest.approx(found.estimate, abs=0.2)


def test_several_patiences_are_one_audit_each(world, systems):
    result = eh.exposure.audit(systems["good"], **world, beta=1, patience=[0.2, 0.9])
    for patience in (0.2, 0.9):
        alone = eh.exposure.audit(systems["good"], **world, beta=1, patience=patience)
        assert result.find("GG", patience=patience).estimate == alone.find("GG").estimate
    assert len(result.findings) == 2 * len(alone.findings)


def test_a_relative_temperature_does_not_know_the_size_of_scores(world, systems):
    spread = systems["good"].std(axis=1).mean()
    relative = eh.exposure.audit(1e4 * systems["good"], **world, beta=2, relative=True)
    plain = eh.exposure.audit(systems["good"], **world, beta=2 * spread)
    for name in NAMES:
        assert relative.find(name).estimate == pytest.approx(plain.find(name).estimate, rel=1e-5)
    assert relative.find("II").subject["beta"] == 2
    with pytest.raises(eh.InputError, match="the scores of every user are all the same"):
        eh.exposure.audit(np.ones((USERS, ITEMS)), **world, beta=2, relative=True)


def test_weights_of_groups(world, systems):
    result = eh.exposure.audit(
        systems["good"], **world, beta="static",
        user_weights={"F": 3, "M": 1}, item_weights={"a": 0, "b": 1, "c": 1}, top=100,
    )  # fmt: skip
    cells = {
        f.subject["group"]: f.details["exposure"] - f.details["target"]
        for f in result.findings
        if f.measure == "pair_exposure"
    }
    wanted = sum(
        user * item * cells[f"{k} to {g}"] ** 2
        for g, user in (("F", 0.75), ("M", 0.25))
        for k, item in (("b", 0.5), ("c", 0.5))
    )
    assert result.find("GG").estimate == pytest.approx(wanted)


def test_exposure_of_what_each_group_wants(world, systems):
    """The share of what a user's relevant items could have, all of them at the top, by loops."""
    result = eh.exposure.audit(systems["good"], **world, beta="static")
    exposure = eh.exposure.static(systems["good"])
    most = np.concatenate([[0], np.cumsum(0.8 ** np.arange(ITEMS))])
    shares = [
        exposure[u][world["relevance"][u] > 0].sum() / most[(world["relevance"][u] > 0).sum()]
        for u in range(USERS)
    ]
    for group in "FM":
        found = result.find("relevant_exposure", group=group)
        mine = [share for share, g in zip(shares, world["user_groups"], strict=True) if g == group]
        assert found.estimate == pytest.approx(np.mean(mine))
        assert (found.n.count, found.interval.low < np.mean(mine) < found.interval.high) == (len(mine), True)


def test_pairs_surely_off_come_first_and_nothing_is_below_never(world, systems):
    """Few users of a third group differ most, by chance; a short list still has what is beyond the limit."""
    few = np.where(np.arange(USERS) < 3, "X", world["user_groups"])
    options = world | {"user_groups": few, "beta": "static", "tolerance": 0.05}
    pushed = systems["bad"] + 3 * np.isin(np.arange(ITEMS) % 5, (3, 4))  # those of group c
    whole, short = (eh.exposure.audit(pushed, **options, top=top) for top in (100, 3))
    verdicts = [f.verdict for f in whole.findings if f.measure == "pair_exposure"]
    assert len(verdicts) == 9
    count = sum(verdict == "violation" for verdict in verdicts)
    assert count > 0
    assert all(verdict == "violation" for verdict in verdicts[:count])
    kept = [f for f in short.findings if f.measure == "pair_exposure"]
    assert sum(f.verdict == "violation" for f in kept) == min(count, 3)
    assert min(f.interval.low for f in whole.findings if f.measure == "pair_exposure") >= -1


def test_the_report_shows_what_the_interval_is_of(world, systems):
    finding = eh.exposure.audit(systems["bad"], **world, beta=1).find("GI")
    assert finding.details["corrected"] < finding.estimate
    assert sentences.value(finding) == finding.details["corrected"]
    assert ("As published", sentences.figure(finding, finding.estimate)) in tables.facts(finding)


def test_the_published_target(world, systems):
    """Ranks from gamma^1, nothing for what is not relevant, the mean target as random exposure."""
    result = eh.exposure.audit(systems["good"], **world, beta="static", target="published")
    relevant = world["relevance"] > 0
    m = relevant.sum(axis=1, keepdims=True)
    target = np.where(relevant, 0.8 * (1 - 0.8**m) / (m * 0.2), 0)
    exposure = 0.8 * eh.exposure.static(systems["good"])
    found = result.find("II")
    assert found.estimate == pytest.approx(((exposure - target) ** 2).mean())
    assert found.details["disparity"] == pytest.approx(((exposure - target.mean()) ** 2).mean())
    assert found.details["constant"] == pytest.approx(((target - target.mean()) ** 2).mean())


def test_who_is_shown_to_whom_is_drawn(world, systems):
    result = eh.exposure.audit(systems["good"], **world, beta=1, top=100)
    (picture,) = pictures_of(result.find("GG"))
    assert len(picture.rows) == 6
    for row in picture.rows:
        pair = result.find("pair_exposure", group=f"{row['items']} to {row['users']}")
        assert row["more or less than asked for"] == pytest.approx(pair.estimate)
        assert row["beyond chance"] == (not pair.interval.low <= 0 <= pair.interval.high)
    assert "Map of 6 pairs of groups" in picture.description


def test_a_map_of_all_pairs_is_not_drawn_twice(world, systems):
    for top, maps in ((100, 0), (2, 1)):
        (section,) = sections(eh.exposure.audit(systems["good"], **world, beta=1, top=top).findings)
        alone = pictures_of_each(section.singles, section.families)
        assert sum(map(len, alone)) == maps
        family = next(one for one in section.families if one.first.measure == "pair_exposure")
        (picture,) = pictures_together(family)
        assert len(picture.rows) == min(top, 6)


def test_no_map_is_drawn_where_a_group_is_very_small(world, systems):
    """The map is that of a sum over all groups, from which the hidden one would follow."""
    few = np.where(np.arange(USERS) < 4, "X", world["user_groups"])
    result = eh.exposure.audit(systems["good"], **(world | {"user_groups": few}), beta=1)
    published = {f.measure: f for f in suppress(result.findings, 5)}
    assert (published["GG"].estimate, published["GG"].details) == (None, {})
    assert pictures_of(published["GG"]) == []
    assert published["IG"].estimate is not None


def test_curves_and_correlations_are_drawn(world, systems):
    result = eh.exposure.compare(systems, **world, tradeoff=BETAS)
    family = [f for f in result.findings if f.subject.get("measure") == "GG"]
    (picture,) = pictures_together(Family(tuple(family), tuple(f.subject["group"] for f in family)))
    assert len(values(picture)) == 2 * len(BETAS)
    drawn = pictures_of(result.find("measure_agreement"))
    assert [len(values(one)) for one in drawn] == [36, 36, 36]
    page = html.render(result.document)
    assert page.count("<figcaption") == 6 + 3 + 6  # curves, maps of agreement, systems under each other
    json.dumps(drawn[0].specification)


def test_a_picture_is_drawn_only_where_there_is_a_curve(world, systems):
    result = eh.exposure.audit(systems["good"], **world, beta=1)
    alone = [f for f in result.findings if f.measure in ("II", "GI")]
    assert [pictures_of(finding) for finding in alone] == [[], []]


def test_many_groups_have_fewer_blocks_and_too_many_are_refused():
    assert blocks_within(2, 3706) == 20
    assert blocks_within(100, 100_000) == 10
    with pytest.raises(eh.InputError, match=r"1,000 user groups x 100,000 items are too many .* 250 groups"):
        blocks_within(1000, 100_000)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (
            {"tolerance": 30},
            "tolerance is 30, but must be a share of what relevance asks for, above 0 and at most 10",
        ),
        ({"tradeoff": [1, 2]}, "tradeoff is [1, 2], but must be three temperatures or more"),
        ({"beta": [1, 1.0]}, "beta has a value twice: 1, 1"),
        ({"patience": []}, "patience is empty"),
        ({"patience": [0.5, 0.5]}, "patience has a value twice"),
        ({"patience": [0.5, 1.5]}, "patience is [0.5, 1.5], but must be"),
        ({"patience": [0.5, 0.6], "discount": "dcg"}, "several patiences are for discount"),
        ({"target": "fair"}, "target is 'fair', but must be one of equal, published"),
        ({"target": "published", "k": 3}, 'which knows discount="rbp" without k only'),
        ({"user_weights": {"F": 1}}, "user_weights: 'M' has none; give a weight to each of F, M"),
        ({"user_weights": {"F": 1, "M": 1, "X": 1}}, "user_weights: there is no user group 'X'"),
        ({"user_weights": {"F": 1, "M": -1}}, "user_weights is {'F': 1, 'M': -1}, but must be"),
        ({"user_weights": {"F": 0, "M": 0}}, "must be finite, 0 or more, and not all 0"),
        ({"item_weights": [1, 1, 1]}, "item_weights is [1, 1, 1], but must be a table of names"),
    ],
)
def test_choices_that_cannot_be_used(world, systems, changes, says):
    with pytest.raises(eh.InputError) as error:
        eh.exposure.audit(systems["good"], **(world | {"beta": 1} | changes))
    assert says in str(error.value)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"one": np.zeros((USERS, ITEMS))}, "systems must be two or more, by name"),
        ([1, 2], "systems must be two or more, by name"),
    ],
)
def test_systems_that_cannot_be_compared(world, given, says):
    with pytest.raises(eh.InputError, match=says):
        eh.exposure.compare(given, **world)


def test_a_group_without_users_is_named(world, systems):
    relevance = world["relevance"].copy()
    relevance[world["user_groups"] == "F"] = 0
    with pytest.raises(eh.InputError, match=r"1 of 2 user groups have no user .* for example 'F'"):
        eh.exposure.audit(systems["good"], **(world | {"relevance": relevance}), beta=1)
