"""One audit step by step beside the simulation; and what is concluded from simulated audits."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.envy import save_certificate, simulate, verify, verify_files
from evenhand.envy.online.certificates.certify import certificate
from evenhand.envy.online.findings import about_simulation
from evenhand.envy.online.simulated.played import play
from evenhand.envy.online.simulated.simulation import Simulation

WORLDS = [
    {},
    {"bound": "lil", "budget": 3000},
    {"rewards": "beta", "delay": "random", "longest": 7},
    {"delay": "bad_late", "longest": 5, "missing": 0.2},
]


@pytest.mark.parametrize("options", WORLDS, ids=str)
def test_the_audit_step_by_step_is_the_first_simulated_one(options):
    given = {"means": [0.5, 0.3, 0.55], "epsilon": 0.2, "alpha": 0.5, "rng": 3} | options
    found, played = simulate(runs=2, **given), play(**given)
    assert played.auditor.outcome == found.outcomes[0]
    assert played.auditor.step == found.durations[0]
    assert played.auditor.assigned == found.pulls[0].tolist()


@pytest.mark.parametrize("choice", ["adaptive", "uniform"])
def test_what_is_saved_can_be_verified(tmp_path, choice):
    played = play([0.5, 0.2], epsilon=0.3, choice=choice, delay="random", longest=3)
    assert verify(certificate(played.auditor), played.events).outcome == "no_envy"
    path = save_certificate(played.auditor, played.events, tmp_path / "new" / "folder")
    assert path == tmp_path / "new" / "folder" / "certificate.json"
    assert verify_files(path).digest == played.auditor.digest


def simulation(outcomes, margins=None):
    runs = len(outcomes)
    zeros = np.zeros(runs)
    margins = zeros if margins is None else np.array(margins)
    return Simulation(
        np.arange(1, runs + 1), zeros, np.array(outcomes), margins, np.ones((runs, 2), dtype=np.int64), 0
    )


@pytest.mark.parametrize(
    ("other", "missing", "wrong"),
    [
        (0.3, 0, {"envy"}),
        (0.5, 0, {"envy"}),
        (0.55, 0, set()),
        (0.6, 0, set()),
        (0.65, 0, {"no_envy"}),
        (0.65, 0.5, set()),
    ],
)
def test_which_outcomes_are_wrong(other, missing, wrong):
    for outcome in ("envy", "no_envy", "inconclusive"):
        result = about_simulation(simulation([outcome] * 3), [0.5, other], 0.1, 0.05, missing)
        assert result.find("wrong_outcomes").estimate == (outcome in wrong)


def test_the_constraint_is_judged_by_delta():
    broken = simulation(["no_envy"] * 100, [-1.0] * 20 + [0.0] * 80)
    finding = about_simulation(broken, [0.5, 0.4], 0.1, 0.05).find("broken_constraint")
    assert finding.estimate == 0.2
    assert finding.verdict == "violation"
    held = about_simulation(simulation(["no_envy"] * 100), [0.5, 0.4], 0.1, 0.05).find("broken_constraint")
    assert held.verdict == "within_tolerance"
    few = about_simulation(simulation(["no_envy"] * 5), [0.5, 0.4], 0.1, 0.05).find("broken_constraint")
    assert few.verdict == "inconclusive"


def test_the_median_lies_in_its_interval():
    finding = about_simulation(simulation(["no_envy"] * 101), [0.5, 0.4], 0.1, 0.05).find("audit_duration")
    assert finding.estimate == 51
    # The 41st and the 61st of 101: P(41 <= Binomial(101, 1/2) < 61) = 0.954.
    assert (finding.interval.low, finding.interval.high) == (41, 61)
    alone = about_simulation(simulation(["envy"]), [0.5, 0.6], 0.1, 0.05)
    assert alone.find("audit_duration").interval is None
    assert alone.find("audit_cost").interval is None
