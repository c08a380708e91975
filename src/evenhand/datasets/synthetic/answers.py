"""The exact answers that a synthetic world comes with: what each audit would find with unlimited data."""

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class OpportunityTruth:
    """Opportunity in one arm: impressions of this arm's users against uniform pairs of all users."""

    penalty: float
    """h = sqrt(mean(d_k^2)), the REO penalty."""
    relative_utility: dict[str, float]
    """d_k = U_k / mean(U) - 1 by creator age."""
    utility: dict[str, float]
    """U_k = shown_and_liked / liked_at_random."""
    worst_ratio: float
    """min U / max U."""
    shown_and_liked: dict[str, float]
    """P(liked, group k) for an impression in this arm."""
    liked_at_random: dict[str, float]
    """P(liked, group k) for a uniform pair."""
    log_weights: dict[str, float]
    """What was added to the served scores of each group's items."""


@dataclass(frozen=True)
class ExposureTruth:
    """Who is shown what: the share of a gender's impressions that go to a genre, under the control system."""

    pair: tuple[str, str]
    """The boosted user group and item group."""
    boost: float
    """What was added to the served scores of that pair: it multiplies each such user's odds by exp(boost)."""
    share: dict[str, dict[str, float]]
    """gender -> genre -> exact share of impressions."""
    share_without_boost: dict[str, dict[str, float]]
    """The same world with the boost taken away and everything else kept."""
    relevant_share: dict[str, dict[str, float]]
    """gender -> genre -> share of the gender's relevant pairs (liked more often than not) in the genre."""
    lift: float
    """share / share_without_boost of the pair."""


@dataclass(frozen=True)
class GroupsTruth:
    """Groups, on the candidate lists: a user's expected value of each metric, by gender and age band."""

    served_worse: dict[str, str]
    """Attribute values of the planted intersection."""
    noise: float
    """Standard deviation of the noise added to its scores (the others' scores have 1)."""
    expected: dict[str, dict[str, float]]
    """metric -> "gender=F & age_band=55+" -> expectation."""
    gap: float
    """Expected MRR@5 of everybody else minus that of the planted group."""


@dataclass(frozen=True)
class EnvyTruth:
    """Envy over all users under the control system: Delta_m = max(max_n u[m, n] - u[m, m], 0).

    A stochastic policy is not optimal for its user, so a little envy is natural; `before` is the world with
    nobody mixed up and everything else kept, the baseline to compare with.
    """

    epsilon: float
    average: float
    """mean of Delta_m."""
    share: float
    """Share of users with Delta_m > epsilon."""
    envious: tuple[str, ...]
    """Those users."""
    mixed_up: tuple[str, ...]
    """Users who are served from another's profile."""
    average_before: float
    share_before: float


@dataclass(frozen=True)
class AssociationTruth:
    """Association: the planted gender direction of the embedding space; it points to F.

    The shifts are of the distribution that embeddings are drawn from. With strength 0 genders are
    exchangeable, so a centroid difference is pure noise, which is not the same as 0.
    """

    attribute: str
    direction: tuple[float, ...]
    user_shift: dict[str, float]
    """gender -> shift along the direction."""
    genre_shift: dict[str, float]
    """genre -> shift along the direction."""
    mean_eaa: dict[str, float]
    """genre -> mean over its items of EAA(e) = mean cos(e, F users) - mean cos(e, M users), in this world."""


@dataclass(frozen=True)
class Truth:
    """The exact answer to each of the five questions."""

    opportunity: dict[str, OpportunityTruth]
    """arm -> truth."""
    exposure: ExposureTruth
    groups: GroupsTruth
    envy: EnvyTruth
    association: AssociationTruth

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON, to 12 decimals: further digits depend on the machine's linear algebra."""
        return _rounded(asdict(self))


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 12) + 0.0  # no negative zero
    if isinstance(value, dict):
        return {key: _rounded(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(entry) for entry in value]
    return value
