"""What an audit says: one estimate, its interval, and what follows from it.

A finding is frozen and typed, and survives a round trip through JSON. The verdict is not stored by
whoever makes the finding: it is derived from the interval and the tolerance by the one rule in
`decide`, and a document whose stated verdict contradicts that rule is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
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
    with such an exclusion is never `within_tolerance`.
    """

    what: str
    count: int | None  # None where it is too small to be published
    why: str
    unidentified: bool = False


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


class Finding(_Frozen):
    """One number that an audit stands behind, with everything needed to judge it.

    `doubts` are what the data itself says against the number, whatever its interval: with any of them there
    is neither a violation nor a pass.
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

    @computed_field  # type: ignore[prop-decorator]
    @property
    def verdict(self) -> Verdict | None:
        if self.estimate is None:
            return Verdict.NOT_APPLICABLE
        unidentified = any(exclusion.unidentified for exclusion in self.excluded)
        return decide(
            self.interval, self.tolerance, self.harm, unidentified=unidentified, doubted=bool(self.doubts)
        )

    @computed_field  # type: ignore[prop-decorator]
    @property
    def more_data(self) -> float | None:
        """How many times the data would decide an inconclusive verdict in about 4 of 5 cases.

        Intervals shrink with the square root of the data. If the truth is where the estimate is, a new
        interval misses the tolerance with probability .8 when its longer arm (the other may be cut off at a
        bound of the measure) is 1.96 / (1.96 + .84) of the distance between estimate and tolerance. None
        where the verdict is not inconclusive, or where more of the same data would not decide it.
        """
        if self.verdict is not Verdict.INCONCLUSIVE or self.interval is None:
            return None
        assert self.estimate is not None
        assert self.tolerance is not None
        if self.doubts or any(exclusion.unidentified for exclusion in self.excluded):
            return None
        tolerance = -self.tolerance if self.harm == "outside" and self.estimate < 0 else self.tolerance
        distance = abs(self.estimate - tolerance)
        arm = max(self.interval.high - self.estimate, self.estimate - self.interval.low)
        if distance < arm / 1_000:  # a million times the data is no advice
            return None
        return max(1.0, (arm * (1 + 0.84 / 1.96) / distance) ** 2)

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
        if isinstance(data, Mapping):
            stated = {key: data[key] for key in ("verdict", "more_data") if key in data}
            data = {key: value for key, value in data.items() if key not in stated}
        finding = handler(data)
        if "verdict" in stated and stated["verdict"] != finding.verdict:
            raise ValueError(
                f"{finding.measure}: the stated verdict is {stated['verdict']!s}, "
                f"but its interval and tolerance say {finding.verdict!s}"
            )
        return finding


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
