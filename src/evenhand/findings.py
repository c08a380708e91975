"""What an audit says: one estimate, its interval, and what follows from it.

A finding is frozen and typed, and survives a round trip through JSON. The verdict is not stored by
whoever makes the finding: it is derived from the interval and the tolerance by the one rule in
`decide`, and a document whose stated verdict contradicts that rule is refused.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    computed_field,
    field_validator,
    model_validator,
)

SCHEMA = "evenhand.findings/1"

Validity = Literal["fixed", "anytime", "exact", "none"]
Harm = Literal["above", "below", "outside"]
# The limits of an interval, had there been so many times the data.
LimitsAt = Callable[[float], tuple[float, float]]

# An interval is decided by in 4 of 5 cases when it would be with arms this much longer: 1.96 errors, and the
# .84 errors that 4 of 5 estimates are at most on the wrong side of the truth by.
FOUR_IN_FIVE = 1 + 0.84 / 1.96
# More than a million times the data is no advice. Two candidates are 2% apart.
STEP, MOST_STEPS = 1.02, 698
# An assumption of audits in which every user is one row.
INDEPENDENT_USERS = "Users are independent of each other, and each counts once."


class Verdict(StrEnum):
    """What the interval says about the tolerance."""

    VIOLATION = "violation"
    WITHIN_TOLERANCE = "within_tolerance"
    INCONCLUSIVE = "inconclusive"
    NOT_APPLICABLE = "not_applicable"


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Interval(_Frozen):
    """A confidence interval, with how it was made and when it holds.

    `validity`: `fixed` holds for one look at a sample size chosen beforehand, `anytime` at every look
    at once, `exact` without an approximation, `none` is a range without a guarantee.
    """

    low: float
    high: float
    level: float = Field(gt=0, lt=1)
    method: str
    validity: Validity = "fixed"

    @model_validator(mode="after")
    def _is_ordered(self) -> Interval:
        if self.low > self.high:
            raise ValueError(f"interval is upside down: low {self.low} is above high {self.high}")
        return self


class Exclusion(_Frozen):
    """Something that was left out of an estimate.

    `unidentified` marks what the data cannot speak about at all. Harm may hide there, so a finding
    with such an exclusion is never `within_tolerance`. `people` is how many stand behind the count, where
    that is known and not the count itself.
    """

    what: str
    count: int | None  # None where it is too small to be published
    why: str
    unidentified: bool = False
    people: int | None = None


def decide(
    interval: Interval | None,
    tolerance: float | None,
    harm: Harm = "above",
    *,
    unidentified: bool = False,
    doubted: bool = False,
) -> Verdict | None:
    """The verdict rule, the same for every audit.

    The whole interval beyond the tolerance is a violation, the whole interval inside is within
    tolerance, anything else is inconclusive. `harm` says where beyond lies: above the tolerance, below
    it, or outside `[-tolerance, tolerance]`. Without a tolerance there is no verdict. A bound that
    touches the tolerance is still inside. What is `unidentified` may hide harm, so that nothing is within
    tolerance; what is `doubted` may make or hide it, so that nothing is decided.
    """
    if tolerance is None:
        return None
    if interval is None or doubted:
        return Verdict.INCONCLUSIVE
    if harm == "above":
        beyond, inside = interval.low > tolerance, interval.high <= tolerance
    elif harm == "below":
        beyond, inside = interval.high < tolerance, interval.low >= tolerance
    else:
        beyond = interval.low > tolerance or interval.high < -tolerance
        inside = interval.low >= -tolerance and interval.high <= tolerance
    if beyond:
        return Verdict.VIOLATION
    if inside and not unidentified:
        return Verdict.WITHIN_TOLERANCE
    return Verdict.INCONCLUSIVE


class MoreData(_Frozen):
    """How many times the data would decide an inconclusive verdict in about 4 of 5 cases.

    `times` is for a truth that is where the estimate is, `low` for one at that end of the interval which is
    easiest to tell from the tolerance. There is no upper end: an interval that does not decide holds the
    tolerance, and of a truth right there no amount of data would tell on which side it is. `of` says what
    there must be more of.
    """

    times: float = Field(ge=1)
    low: float = Field(default=1.0, ge=1)
    of: str = "data"


class Finding(_Frozen):
    """One number that an audit stands behind, with everything needed to judge it.

    `doubts` are what the data itself says against the number, whatever its interval: with any of them there
    is neither a violation nor a pass. `people` are the groups that the number is of or made of, each with how
    many people it has at least (rows, where users are not known): by these, what would tell of very few is
    not published. None where an audit does not say; then `n` is of the group in the subject.
    """

    audit: str
    measure: str
    subject: dict[str, str | int | float] = Field(default_factory=dict)
    estimate: float | None
    interval: Interval | None = None
    tolerance: float | None = None
    harm: Harm = "above"
    p_value: float | None = Field(default=None, ge=0, le=1)
    n: int | None = Field(default=None, ge=0)
    excluded: tuple[Exclusion, ...] = ()
    doubts: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    details: dict[str, Any] = Field(default_factory=dict)
    more_data: MoreData | None = None
    people: dict[str, int] | None = None

    @computed_field  # type: ignore[prop-decorator]
    @property
    def verdict(self) -> Verdict | None:
        if self.estimate is None:
            return Verdict.NOT_APPLICABLE
        return decide(
            self.interval,
            self.tolerance,
            self.harm,
            unidentified=self._has_unidentified,
            doubted=bool(self.doubts),
        )

    @property
    def _has_unidentified(self) -> bool:
        return any(exclusion.unidentified for exclusion in self.excluded)

    @property
    def open_to_data(self) -> bool:
        """Whether it is not decided and more of the same data could decide it."""
        undecided = self.verdict is Verdict.INCONCLUSIVE and self.interval is not None
        return undecided and not self._has_unidentified and not self.doubts

    @field_validator("more_data", mode="before")
    @classmethod
    def _once_a_number(cls, value: Any) -> Any:
        """Older documents have a number here, and nothing about its range."""
        return {"times": value} if isinstance(value, int | float) else value

    @field_validator("details", mode="before")
    @classmethod
    def _details_are_plain(cls, value: Any) -> Any:
        return plain(value)

    @model_validator(mode="wrap")
    @classmethod
    def _derived_values_are_consistent(
        cls, data: Any, handler: ModelWrapValidatorHandler[Finding]
    ) -> Finding:
        """Derived values may be stated, as they are in a saved document, but only if they are true."""
        stated: dict[str, Any] = {}
        if isinstance(data, Mapping) and "verdict" in data:
            stated = {"verdict": data["verdict"]}
            data = {key: value for key, value in data.items() if key != "verdict"}
        finding = handler(data)
        if stated and stated["verdict"] != finding.verdict:
            raise ValueError(
                f"{finding.measure}: the stated verdict is {stated['verdict']!s}, "
                f"but its interval and tolerance say {finding.verdict!s}"
            )
        if finding.more_data is not None and not finding.open_to_data:
            raise ValueError(f"{finding.measure}: more data would not decide it, but more_data says how much")
        return finding


def with_more_data(
    finding: Finding, limits_at: LimitsAt, of: str = "data", truth: float | None = None
) -> Finding:
    """The finding, with how much data would decide it where it is open to data.

    `limits_at` gives the limits that the interval would have, around the same estimate, with so many times
    the data; it is asked, as few intervals shrink exactly like 1/sqrt(n). `truth` is what the estimate tends
    to with more data, where that is not itself. With its arms 1.43 times as long (`FOUR_IN_FIVE`) such an
    interval must still decide, around the truth for `times`, and around either end of the present interval
    for `low`. Intervals that hold for several things at once have longer arms for the same error, so that
    they are decided more often than in 4 of 5 cases.
    """
    if not finding.open_to_data:
        return finding
    estimate, interval = finding.estimate, finding.interval
    assert estimate is not None
    assert interval is not None
    centre = estimate if truth is None else truth
    asked: dict[int, tuple[float, float]] = {}

    def decides(step: int, truths: tuple[float, ...]) -> bool:
        if step not in asked:
            asked[step] = limits_at(STEP**step)
        low, high = asked[step]
        below, above = (FOUR_IN_FIVE * max(0.0, arm) for arm in (centre - low, high - centre))
        return any(
            decide(
                interval.model_copy(update={"low": truth - below, "high": truth + above}),
                finding.tolerance,
                finding.harm,
            )
            is not Verdict.INCONCLUSIVE
            for truth in truths
        )

    def least(truths: tuple[float, ...], most: int) -> float:
        return STEP ** bisect_left(range(most), True, key=lambda step: decides(step, truths))

    if not decides(MOST_STEPS, (centre,)):
        return finding
    times = least((centre,), MOST_STEPS)
    low = least((interval.low, centre, interval.high), MOST_STEPS)
    return finding.model_copy(update={"more_data": MoreData(times=times, low=low, of=of)})


def shrinking(
    finding: Finding,
    scale: Callable[[float], float] = lambda value: value,
    back: Callable[[float], float] = lambda value: value,
) -> LimitsAt:
    """The limits of an interval that really is estimate +- c / sqrt(n), as `with_more_data` asks for them.

    Where it is so on another `scale`, such as that of logs, `back` undoes it. c is that of the longer arm:
    the other may be cut off at a bound of the measure.
    """

    def limits_at(times: float) -> tuple[float, float]:
        assert finding.estimate is not None
        assert finding.interval is not None
        middle, low, high = map(scale, (finding.estimate, finding.interval.low, finding.interval.high))
        reach = max(high - middle, middle - low) / times**0.5
        return back(middle - reach), back(middle + reach)

    return limits_at


class Fingerprint(_Frozen):
    """Which data a finding rests on, without reading the data again."""

    source: str
    rows: int | None = None
    files: int | None = None
    bytes: int | None = None
    sha256: str


class Document(_Frozen):
    """The content of `findings.json`: no time, duration or absolute path, so equal runs give equal files."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, serialize_by_alias=True)

    schema_: Literal["evenhand.findings/1"] = Field(default="evenhand.findings/1", alias="schema")
    findings: tuple[Finding, ...]
    inputs: dict[str, Fingerprint] = Field(default_factory=dict)
    seed: int | None = None
    version: str
    scope: dict[str, str] = Field(default_factory=dict)


def text_of(document: Document) -> str:
    """The content of `findings.json`."""
    return document.model_dump_json(indent=2) + "\n"


def plain(value: Any) -> Any:
    """`value` with NumPy scalars and arrays as Python numbers and lists, as JSON needs them."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float) and value != value:
        raise ValueError("a detail is not a number: leave it out, or say None and why")
    return value
