"""What an audit says: one estimate, its interval, and what follows from it.

A finding is frozen and typed, and survives a round trip through JSON. The verdict is not stored by
whoever makes the finding: it is derived from the interval and the tolerance by the one rule in
`decide`, and a document whose stated verdict contradicts that rule is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from math import isfinite
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    computed_field,
    field_validator,
    model_validator,
)
from pydantic.dataclasses import dataclass
from pydantic.json_schema import SkipJsonSchema

from evenhand.about import About, Subject, flat, identifier, structured
from evenhand.pictures import Bounds, Lines, Map, Picture, Series, Shares

Validity = Literal["fixed", "anytime", "exact", "none"]
Harm = Literal["above", "below", "outside"]
# Computed; hidden, as it would tell of very few people; nothing to be asked, such as the place along a
# direction that is not there; or not to be had from this data.
State = Literal["computed", "suppressed", "moot", "not_computable"]


Drawn = TypeVar("Drawn", Series, Map, Lines, Bounds, Shares)
# An assumption of audits in which every user is one row.
INDEPENDENT_USERS = "Users are independent of each other, and each counts once."


class Verdict(StrEnum):
    """What the interval says about the tolerance."""

    VIOLATION = "violation"
    WITHIN_TOLERANCE = "within_tolerance"
    INCONCLUSIVE = "inconclusive"
    NOT_APPLICABLE = "not_applicable"


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    def amended(self, **changes: Any) -> Self:
        """The same with these changes, checked as if it were made anew."""
        return type(self).model_validate({**dict(self), **changes}, by_name=True)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy, amended: Pydantic's own would take any update."""
        copied = super().model_copy(deep=deep)
        return copied.amended(**update) if update else copied


class Interval(Frozen):
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


class Exclusion(Frozen):
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
    verdict = compared(interval.low, interval.high, tolerance, harm)
    hides = verdict is Verdict.WITHIN_TOLERANCE and unidentified
    return Verdict.INCONCLUSIVE if hides else verdict


def compared(low: float, high: float, tolerance: float, harm: Harm) -> Verdict:
    """What the limits of an interval say about the tolerance, whatever else is known."""
    if harm == "above":
        beyond, inside = low > tolerance, high <= tolerance
    elif harm == "below":
        beyond, inside = high < tolerance, low >= tolerance
    else:
        beyond = low > tolerance or high < -tolerance
        inside = low >= -tolerance and high <= tolerance
    if beyond:
        return Verdict.VIOLATION
    return Verdict.WITHIN_TOLERANCE if inside else Verdict.INCONCLUSIVE


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Count:
    """How many of what a number rests on: 2,000 users."""

    count: Annotated[int, Field(ge=0)]
    of: str


class Family(Frozen):
    """Which findings belong together, and at which level their intervals hold for all of them at once;
    without a level, each holds for itself alone."""

    name: str
    level: float | None = Field(default=None, gt=0, lt=1)


class MoreData(Frozen):
    """How many times the data would decide an inconclusive verdict in about 4 of 5 cases.

    `times` is for a truth that is where the estimate is, `low` for one at that end of the interval which is
    easiest to tell from the tolerance. There is no upper end: an interval that does not decide holds the
    tolerance, and of a truth right there no amount of data would tell on which side it is. `of` says what
    there must be more of.
    """

    times: float = Field(ge=1)
    low: float = Field(default=1.0, ge=1)
    of: str = "data"


class Finding(Frozen):
    """One number that an audit stands behind, with everything needed to judge it.

    `id` is the same in every run that asks the same. `question`, `unit` and `family` belong to the audit and
    the measure, whose vocabulary has them: a result fills them in. `about` says whom or what the number is
    of, and `subject` the same, flat. `details` are numbers, and names of groups, columns and methods, never
    sentences.

    `doubts` are what the data itself says against the number, whatever its interval: with any of them there
    is neither a violation nor a pass. `people` are the groups that the number is of or made of, each with how
    many people it has at least (rows, where users are not known): by these, what would tell of very few is
    not published. None where an audit does not say; then `n` is of the group in the subject.
    """

    id: str = ""
    question: str = ""
    audit: str
    measure: str
    about: About = Field(default_factory=dict)
    unit: str = ""
    estimate: float | None
    interval: Interval | None = None
    tolerance: float | None = None
    harm: Harm = "above"
    p_value: float | None = Field(default=None, ge=0, le=1)
    n: Count | None = None
    family: Family | None = None
    state: State = "computed"
    excluded: tuple[Exclusion, ...] = ()
    doubts: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    pictures: tuple[Picture, ...] = ()
    details: dict[str, Any] = Field(default_factory=dict)
    more_data: MoreData | None = None
    people: dict[str, int] | None = None
    # What values are called, by attribute: only where a finding is shown, which no document is.
    labels: SkipJsonSchema[dict[str, dict[str, str]]] = Field(default_factory=dict, exclude=True, repr=False)

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

    def amended(self, **changes: Any) -> Self:
        """The same with these changes, checked as if it were made anew; what is about something else has
        another id."""
        if changes.keys() & {"audit", "measure", "about"}:
            changes = {"id": "", **changes}
        return super().amended(**changes)

    def drawn(self, kind: type[Drawn], of: str | None = None) -> list[Drawn]:
        """Its pictures of this kind, and of this."""
        return [
            one
            for one in self.pictures
            if isinstance(one, kind) and (of is None or getattr(one, "of", None) == of)
        ]

    @property
    def series(self) -> Series | None:
        """The measure over time, where it was followed and there is any of it."""
        return next((one for one in self.drawn(Series) if one.days), None)

    @property
    def subject(self) -> Subject:
        """What it is about with one name a key, as tables and sentences have it: `by`, `group`, `metric`."""
        return flat(self.about)

    @field_validator("about", mode="before")
    @classmethod
    def _about_is_structured(cls, value: Any) -> Any:
        return structured(value) if isinstance(value, Mapping) else value

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
        stated: Any = None
        if isinstance(data, Mapping):
            data = dict(data)
            stated = data.pop("verdict", None)
            if data.get("estimate") is None and data.get("state", "computed") == "computed":
                data["state"] = "not_computable"
            if not data.get("id") and isinstance(data.get("about", {}), Mapping):
                about = structured(data.get("about", {}))
                data["id"] = identifier(str(data.get("audit")), str(data.get("measure")), about)
        finding = handler(data)
        if stated is not None and stated != finding.verdict:
            raise ValueError(
                f"{finding.measure}: the stated verdict is {stated!s}, "
                f"but its interval and tolerance say {finding.verdict!s}"
            )
        if finding.estimate is not None and finding.state != "computed":
            raise ValueError(f"{finding.measure}: it is said to be {finding.state}, but has an estimate")
        if finding.more_data is not None and not finding.open_to_data:
            raise ValueError(f"{finding.measure}: more data would not decide it, but more_data says how much")
        return finding


def plain(value: Any) -> Any:
    """`value` with NumPy scalars and arrays as Python numbers and lists, as JSON needs them."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float) and not isfinite(value):
        raise ValueError("a detail is no finite number: leave it out, or say None and why")
    return value
