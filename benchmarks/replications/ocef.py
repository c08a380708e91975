"""Do and others (2022): envy-free recommendations and their online certification."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import envy_causes as causes
import envy_offline as offline
import envy_published as published
import envy_systems as systems
import numpy as np

import envy
from evenhand.envy import sample_sizes
from evenhand.envy.measures import average_envy, envious_share
from evenhand.envy.systems.environments import History, lastfm_history, movielens_history
from evenhand.envy.systems.policies import optimal
from replications.pages import Line, Part
from replications.steps import Run

TITLE = "Online certification of envy-freeness"
PAPER, EVERY = published.PAPER, published.EVERY
HISTORIES: dict[str, tuple[str, Callable[..., History]]] = {
    "MovieLens": ("ml-1m", movielens_history),
    "Last.fm": ("lastfm-2k", lastfm_history),
}
MINUTES = {
    **{f"figure 2, {name}": 3.0 for name in HISTORIES},
    **{f"share of envious users, {name}": 2.0 for name in HISTORIES},
    **{f"table 1, {name}": 0.5 for name in HISTORIES},
    **{f"figure 4, {name}": 6.0 for name in HISTORIES},
    **{f"equal utility by other readings, {name}": 6.0 for name in HISTORIES},
    **{f"costs by other readings, {name}": 8.0 for name in HISTORIES},
    "figure 3": 0.5,
}
HOW = (
    "MovieLens-1M and Last.fm (HetRec 2011) are those of the paper. It does not print how it completes what users took, nor "
    "the means of its four problems: [the environments](do-2022.md#against-the-published-algorithm-figure-3) say what is set here, and by what. The published "
    "algorithm is the one with the law of the iterated logarithm and uniform choice; the audits that Evenhand runs are "
    "shorter ([how much](do-2022.md#against-the-published-algorithm-figure-3)).",
)


def parts(run: Run) -> list[Part]:
    made: dict[str, History] = {}

    def history(name: str) -> History:
        if name not in made:
            folder, read = HISTORIES[name]
            made[name] = read(run.data / folder)
        return made[name]

    there = [name for name, (folder, _) in HISTORIES.items() if run.folder(folder)]
    gone = [name for name in HISTORIES if name not in there]
    found = [
        Part("Figure 1", "the auditing scenario", missing="a drawing, without figures"),
        _problems(run),
    ]
    for name in gone:
        for what in ("Table 1", "Figure 2", "Figure 4"):
            found.append(Part(f"{what}, {name}", "", missing=f"{HISTORIES[name][0]} is not at hand"))
    for name in there:
        found += [
            _factors(run, name, history),
            _equal_utility(run, name, history),
            _other_utility(run, name, history),
            _systems(run, name, history),
            _other_costs(run, name, history),
        ]
    return sorted(found, key=lambda part: part.name)


def _factors(run: Run, name: str, history: Callable[[str], History]) -> Part:
    factors = (1, 2, 8) if run.quick else offline.FACTORS
    rows = run.step(
        f"figure 2, {name}",
        lambda: [[number, *offline.envy_with(history(name), number)] for number in factors],
        MINUTES[f"figure 2, {name}"],
    )
    lines = []
    for number, average, share in rows:
        shape = "none" if number == 1 else "drawn, not printed"
        lines += [
            Line(f"{number} factors: average envy", shape, average),
            Line(f"{number} factors: .05-envious users", shape, share, digits=2),
        ]
    return Part(
        f"Figure 2, {name}",
        "envy against the number of factors",
        lines,
        cause="the shape agrees: none with one factor, most with few, less with many; no numbers are printed",
    )


def _equal_utility(run: Run, name: str, history: Callable[[str], History]) -> Part:
    euu, opt, envious, share = published.TABLE_1[name]

    def audited() -> dict[str, Any]:
        tastes = history(name).preferences
        penalty, equal = offline.penalty_for(tastes, euu / opt)
        both = {}
        for key, policies in (("OPT", optimal(tastes)), ("EUU", equal)):
            evidence = offline.envy_of(tastes, policies)
            both[key] = [
                float(evidence.own.sum()),
                float(average_envy(evidence)),
                float(envious_share(evidence)),
            ]
        return {**both, "penalty": penalty}

    found = run.step(f"table 1, {name}", audited)
    lines = [
        Line("OPT: total utility (tuned here)", float(opt), found["OPT"][0], digits=0),
        Line("OPT: average envy", 0.0, found["OPT"][1]),
        Line("OPT: .05-envious users", 0.0, found["OPT"][2], digits=2),
        Line("EUU: total utility (tuned here)", float(euu), found["EUU"][0], digits=0),
        Line("EUU: average envy", envious, found["EUU"][1]),
        Line("EUU: .05-envious users", share, found["EUU"][2], digits=2),
    ]
    return Part(
        f"Table 1, {name}",
        "optimal policies and equal user utility",
        lines,
        cause="total utilities are tuned and say nothing; average envy follows from them and agrees; the share of envious "
        "users does not: how much the best utilities of users differ, which the paper does not print (next part)",
    )


def _other_utility(run: Run, name: str, history: Callable[[str], History]) -> Part:
    def searched() -> list[dict[str, Any]]:
        return causes.utility_readings(
            history(name), causes.COMPLETIONS[:1] if run.quick else causes.COMPLETIONS
        )

    step = f"equal utility by other readings, {name}"
    rows = run.step(step, searched, MINUTES[step])
    share = published.TABLE_1[name][3]
    lines = [
        Line(
            f"{row['reading']}: .05-envious (average envy {row['envy']:.3f}, spread of best {row['spread']:.3f})",
            share, row["envious"], digits=2,
        )
        for row in rows
    ]  # fmt: skip
    return Part(
        f"Table 1, {name}, searched",
        "the share of .05-envious users by other readings",
        lines,
        cause="envy of equal utility is what a user loses, whichever policy gives that utility: so not the policy, but "
        "the truth decides; which one the paper had is unknown",
    )


def _systems(run: Run, name: str, history: Callable[[str], History]) -> Part:
    trials, alphas = (1, (0.5,)) if run.quick else (20, systems.ALPHAS)

    def audited() -> list[dict[str, Any]]:
        rows = []
        for system in made_up() if run.quick else systems.systems(history(name)):
            for alpha in alphas:
                ours = [systems.audit(system, alpha, seed) for seed in range(trials)]
                both = {"ours": ours}
                if not run.quick:
                    both["published"] = [systems.audit(system, alpha, 0, **systems.PUBLISHED)]
                for whom, counted in system.counted.items():
                    for algorithm, found in both.items():
                        if any(counted[trial.found.users].any() for trial in found):
                            rows.append({
                                "system": system.name, "alpha": alpha, "whom": whom, "algorithm": algorithm,
                                "steps": systems.mean_of("durations", found, counted),
                                "cost": systems.mean_of("costs", found, counted),
                            })  # fmt: skip
        return rows

    rows = run.step(f"figure 4, {name}", audited, MINUTES[f"figure 4, {name}"])
    lines = [
        Line(what, float(told), float(ours), digits=0)
        for what, told, ours in zip(
            ("users audited", "arms of each"), published.USERS_AND_ARMS,
            sample_sizes(systems.DELTA, systems.GAMMA, systems.LAMBDA), strict=True,
        )
    ]  # fmt: skip
    for row in rows:
        calm = row["whom"].startswith("users who are not")
        said = published.COST_CALM if calm else published.COST_ENVIOUS
        if row["whom"].startswith("(epsilon"):
            said = "not asked"
        name_ = f"{row['system'].split(', ')[1]}, {row['whom']}, {row['algorithm']} algorithm, alpha {row['alpha']:g}"
        lines += [
            Line(f"{name_}: steps", "drawn, not printed", row["steps"], digits=0),
            Line(f"{name_}: cost", f"drawn: {said}", row["cost"], digits=0),
        ]
    return Part(
        f"Figure 4, {name}",
        "audits of whole systems: steps and cost a user",
        lines,
        cause="without envy as published. With envy costs of .05-envious users are positive here and negative there: here "
        "nearly all users are .05-envious, most of few policies, and the other arms cost them (next part)",
    )


def made_up() -> list[systems.System]:
    """Two systems of a hundred users, without envy and with: what suits a user is given to another."""
    calm = np.full((100, 100), 0.1) + 0.6 * np.eye(100)
    everybody = np.ones(100, dtype=bool)
    return [
        systems.System("made up, inverse temperature 5", calm, {"users who are not envious": everybody}),
        systems.System(
            "made up, inverse temperature 10", calm[:, ::-1].copy(), {"epsilon-envious users": everybody}
        ),
    ]


def _other_costs(run: Run, name: str, history: Callable[[str], History]) -> Part:
    step = f"costs by other readings, {name}"

    def searched() -> list[dict[str, Any]]:
        if run.quick:
            cool, warm = (one.utilities for one in made_up())
            return causes.cost_rows("made up", (cool, warm), 1, algorithms=("ours",))
        return causes.cost_readings(history(name), 5)

    rows = run.step(step, searched, MINUTES[step])
    lines = [
        Line(
            f"{row['recommender']}; {row['algorithm']}; {row['whom']} ({row['users']} audits); alpha {alpha}",
            "negative", cost, digits=0,
        )
        for row in rows
        for alpha, cost in zip((0.05, 0.5), row["costs"], strict=True)
        if cost is not None
    ]  # fmt: skip
    shares = [
        f"{row['recommender']}: {row['envious at 5']:.1%} and {row['envious at 10']:.1%}"
        for row in {row["recommender"]: row for row in rows}.values()
    ]
    return Part(
        f"Figure 4, {name}, searched",
        "the cost at inverse temperature 10 by other readings",
        lines,
        cause="found in part: the sign hangs on how many policies a user envies, so on the recommender, and on whether users are "
        "counted who envy a policy that was tried ([what came of it](ocef.md#costs-at-inverse-temperature-10))",
        notes=[
            f"(.05, .1)-envious users at inverse temperature 5 and 10, by recommender: {'; '.join(shares)}."
        ],
    )


def _problems(run: Run) -> Part:
    runs, alphas = (3, (0.1, 0.5)) if run.quick else (100, envy.ALPHAS)

    def audited() -> list[list[Any]]:
        return [
            [
                row.problem,
                row.alpha,
                *(float(np.median(s.durations)) for s in (row.published, row.ours)),
                *row.cost,
            ]
            for row in envy.compare(runs, alphas)
        ]

    rows = run.step("figure 3", audited)
    lines = []
    for number, problem in enumerate(envy.PROBLEMS, 1):
        mine = [row for row in rows if row[0] == problem]
        for place, algorithm in ((2, "published"), (3, "ours")):
            durations = [row[place] for row in mine]
            costs = [row[place + 2] for row in mine]
            least = mine[int(np.argmin(durations))][1]
            between = "at an alpha in between" if published.DURATION_LEAST_BETWEEN[number] else "not said"
            lines += [
                Line(
                    f"problem {problem}, {algorithm} algorithm: alpha of the shortest audit",
                    between,
                    least,
                    digits=2,
                ),
                Line(
                    f"the same: cost at alpha {mine[0][1]:g}", published.COST_SIGN[number], costs[0], digits=0
                ),
                Line(
                    f"the same: cost at alpha {mine[-1][1]:g}",
                    published.COST_SIGN[number],
                    costs[-1],
                    digits=0,
                ),
            ]
    return Part(
        "Figure 3",
        "audits of one user, four problems",
        lines,
        cause="the published algorithm behaves as published; the means of the four problems are not printed, so that "
        "lengths cannot be compared",
    )
