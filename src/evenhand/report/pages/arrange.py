"""Which findings stand together: by audit, then by attribute, and the groups of one measure as a family."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.findings import Finding, Verdict
from evenhand.report.vocabulary.names import audit, heading, measure
from evenhand.report.words import sentences

# More rows than this in one picture, and nobody reads the middle.
PROMINENT = 12
# More findings of one measure than this (a beta grid, many arms) are a picture rather than separate cards.
CARDS = 3
# What the members of a ranking differ in: a pair of groups, or a group.
_COMPARED = (("group", "other"), ("group",), ("first", "second"))


def shared(lists: Sequence[Sequence[str]]) -> list[str]:
    """What all of the lists contain, to be said once; a single list shares nothing."""
    return [text for text in lists[0] if all(text in other for other in lists)] if len(lists) > 1 else []


@dataclass(frozen=True)
class Family:
    """Findings of one measure that differ in one thing, usually the group, in the order to be shown."""

    findings: tuple[Finding, ...]
    labels: tuple[str, ...]
    context: str = ""
    ranked: bool = True

    @property
    def first(self) -> Finding:
        return self.findings[0]

    @property
    def member(self) -> str:
        """What its members are about, each."""
        return "setting" if not self.ranked else "pair" if "second" in self.first.subject else "group"

    def split(self) -> tuple[Family, Family | None]:
        """The members that stand out, and the others: violations, then the two ends of the ranking."""
        if len(self.findings) <= PROMINENT:
            return self, None
        members = range(len(self.findings))
        no_effect = measure(self.first.measure).no_effect

        def distance(index: int) -> float:
            estimate = self.findings[index].estimate
            if no_effect is None:  # nothing to be far from: the two ends of the ranking
                return float(abs(2 * index - len(self.findings) + 1))
            return -1.0 if estimate is None else abs(estimate - no_effect)

        def rank(index: int) -> tuple[bool, float]:
            is_violation = self.findings[index].verdict is Verdict.VIOLATION
            return (not is_violation, -distance(index))

        chosen = set(sorted(members, key=rank)[:PROMINENT]) if self.ranked else set(members[:PROMINENT])
        rest = [index for index in members if index not in chosen]
        return self._pick(sorted(chosen)), self._pick(rest)

    def _pick(self, indices: Sequence[int]) -> Family:
        return Family(
            tuple(self.findings[index] for index in indices),
            tuple(self.labels[index] for index in indices),
            self.context,
            self.ranked,
        )


@dataclass(frozen=True)
class Section:
    """All findings of one audit about one attribute, or about whatever else makes a section of that audit."""

    audit: str
    about: tuple[str, ...]
    singles: tuple[Finding, ...]
    families: tuple[Family, ...]
    opens_with_a_list: bool = False

    @property
    def members(self) -> tuple[Finding, ...]:
        return self.singles + tuple(finding for family in self.families for finding in family.findings)

    @property
    def families_first(self) -> bool:
        """Whether groups were judged here and single numbers were not: what has a verdict comes first.

        So does the list that an audit is about. A key result still comes before them: groups along a
        direction mean nothing before the direction.
        """
        judged = any(family.first.tolerance is not None for family in self.families)
        unjudged = all(f.tolerance is None and not measure(f.measure).key_result for f in self.singles)
        return self.opens_with_a_list or (judged and unjudged)

    @property
    def shared_warnings(self) -> list[str]:
        """Warnings about every number here, to be said once. Without a number, a warning is its reason."""
        known = [finding.warnings for finding in self.members if finding.estimate is not None]
        return shared(known)

    @property
    def shared_assumptions(self) -> list[str]:
        """What every number here assumes that assumes anything: an overlap of arms, say, was only counted."""
        return shared([finding.assumptions for finding in self.members if finding.assumptions])


def sections(findings: Sequence[Finding]) -> list[Section]:
    """The findings in reading order; audits and attributes stay in the order in which they were found."""
    grouped: dict[tuple[str, ...], list[Finding]] = {}
    for finding in findings:
        about = (_said(finding, key) for key in audit(finding.audit).section)
        grouped.setdefault((finding.audit, *about), []).append(finding)
    return [_section(name, about, members) for (name, *about), members in grouped.items()]


def _said(finding: Finding, key: str) -> str:
    """What a key of the subject is called in a heading: an attribute, a metric or a word ("static") speaks
    for itself, a number does not."""
    labels = audit(finding.audit).labels
    if key in labels and key in finding.subject:
        return labels[key](finding.subject)
    value = finding.subject.get(key, "")
    return heading(value) if isinstance(value, str) else f"{key} {value}"


def _section(name: str, about: Sequence[str], findings: Sequence[Finding]) -> Section:
    words = audit(name)
    alone: dict[str, list[Finding]] = {}
    grouped: dict[tuple[str, tuple[str, ...], str], list[Finding]] = {}
    for finding in findings:
        compared = next((keys for keys in _COMPARED if set(keys) <= finding.subject.keys()), None)
        if compared is None:
            alone.setdefault(finding.measure, []).append(finding)
        else:
            context = sentences.place(finding, leave_out=(*words.section, *compared))
            grouped.setdefault((finding.measure, compared, context), []).append(finding)
    most = 1 if words.listed else CARDS
    families = [_ranked(members, keys, context) for (_, keys, context), members in grouped.items()]
    families += [_series(members) for members in alone.values() if len(members) > most]
    place = {id(finding): number for number, finding in enumerate(findings)}

    def position(family: Family) -> tuple[bool, int]:
        answers = words.listed and measure(family.first.measure).key_result
        return not answers, min(place[id(finding)] for finding in family.findings)

    families.sort(key=position)
    singles = [finding for members in alone.values() if len(members) <= most for finding in members]
    is_list = words.listed and findings[0] not in singles
    return Section(name, tuple(about), tuple(singles), tuple(families), is_list)


def _ranked(findings: Sequence[Finding], keys: tuple[str, ...], context: str) -> Family:
    """Worst served first: lowest first, unless high values harm. What has no estimate comes last."""
    sign = -1.0 if findings[0].harm == "above" else 1.0

    def position(finding: Finding) -> tuple[bool, float]:
        return finding.estimate is None, sign * (finding.estimate or 0.0)

    ordered = sorted(findings, key=position)
    labels = (" against ".join(str(finding.subject[key]) for key in keys) for finding in ordered)
    return Family(tuple(ordered), tuple(labels), context)


def _series(findings: Sequence[Finding]) -> Family:
    known = audit(findings[0].audit).section
    labels = tuple(
        sentences.place(finding, leave_out=known) or sentences.title(finding) for finding in findings
    )
    return Family(tuple(findings), labels, ranked=False)
