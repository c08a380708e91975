"""How much users would gain, as bars: everybody is in one, and nobody stands out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evenhand as eh
from evenhand.envy.gains import gains
from evenhand.pictures import Shares
from evenhand.report.suppression.suppress import suppress


def test_bars_are_the_shares_of_users():
    envy = np.repeat([0.0, 0.31, 1.0], [1000, 600, 400])
    (bars,) = gains(envy)
    (everybody,) = bars.groups
    assert (bars.of, everybody.users, len(everybody.shares)) == ("gain", 2000, 20)
    found = {round(bars.edges[place], 2): share for place, share in enumerate(everybody.shares) if share}
    assert found == {0.0: 0.5, 0.3: 0.3, 0.95: 0.2}


def test_where_nobody_would_gain_there_is_nothing_to_draw():
    assert gains(np.zeros(50)) == ()


def test_gains_too_small_to_be_parted_are_none():
    assert gains(np.append(np.zeros(50), 5e-324)) == ()
    (bars,) = gains(np.append(np.zeros(50), 1e-299))
    assert bars.groups[0].users == 51


@given(st.lists(st.floats(0, 1), min_size=5, max_size=400), st.integers(1, 60))
def test_no_bar_is_of_very_few_and_nobody_is_lost(envy, fewest):
    for bars in gains(np.array(envy)):
        (group,) = bars.folded(fewest).groups
        counts = [round(share * len(envy)) for share in group.shares]
        assert sum(counts) == len(envy)
        assert all(count == 0 or count >= min(fewest, len(envy)) for count in counts) or len(envy) < fewest


def test_what_is_published_has_no_bar_of_fewer_than_are_asked_for():
    rng = np.random.default_rng(0)
    preferences = rng.random((300, 6))
    policies = rng.dirichlet(np.full(6, 0.4), size=300)
    result = eh.envy.audit(preferences, policies)
    finding = result.find("average_envy")
    (bars,) = finding.drawn(Shares, "gain")
    middles = (np.array(bars.edges[1:]) + bars.edges[:-1]) / 2
    assert middles @ bars.groups[0].shares == pytest.approx(finding.estimate, abs=bars.edges[1])
    assert suppress(result.findings, 5) == result.findings
    (shown,) = next(f for f in suppress(result.findings, 20) if f.id == finding.id).drawn(Shares)
    counts = [round(300 * share) for share in shown.groups[0].shares]
    assert sum(counts) == 300
    assert all(count == 0 or count >= 20 for count in counts)
