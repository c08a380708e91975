"""What every annex tells of a result: criteria, methods, what could not be concluded, and the data."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evenhand.documents import Document, Fingerprint
from evenhand.findings import Finding, Verdict
from evenhand.report.answers import by_audit, by_concern, headline_of
from evenhand.report.reading.model import Reading
from evenhand.report.vocabulary import mitigate, opportunity
from evenhand.report.vocabulary.names import audit, capital, measure, question, spaced
from evenhand.report.vocabulary.questions import TOPICS
from evenhand.report.words import numbers, sentences, verdicts
from evenhand.report.words.agreed import limit_of
from evenhand.report.words.legible import line
from evenhand.report.words.people import short_who

# What a key of a plan says is cut at this length: the plan itself stands whole at the end.
_LONGEST = 120
_SENTENCES = 800
# Groups of which each is said how many people it has.
_GROUPS = 6
# Hash buckets by which logs count users, and how many are nearly all of them.
_BUCKETS = 1024
_NEARLY_ALL = 1000
# Names of audits that a shell takes as they are, and those that it takes in quotes.
_BARE = re.compile(r"[\w.,:@%+-]+", re.ASCII)
_NAME = re.compile(r"[\w.,:@%+() -]+")

# What is said of a limit on which nobody has agreed.
_CALLED = {
    "default limit": " (the default: the plan gives no number)",
    "proposed limit": " (proposed by init: nobody has agreed on it yet)",
}
NO_LIMIT = "no limit was set: there are numbers and no verdict"


@dataclass(frozen=True)
class Criterion:
    """By what one audit was judged: the measure that decides, its limit, and the level of its intervals."""

    title: str
    question: str
    measure: str
    definition: str
    limit: str
    reason: str
    level: str
    methods: tuple[str, ...]


@dataclass(frozen=True)
class Open:
    """Something that could not be concluded, and why."""

    what: str
    why: str


def criteria(document: Document) -> list[Criterion]:
    """One for each audit that was run, in that order."""
    return [_criterion(name, members, document) for name, members in by_audit(document.findings).items()]


def _criterion(name: str, findings: Sequence[Finding], document: Document) -> Criterion:
    steps = (document.plan or {}).get("audits", ())
    reasons = dict.fromkeys(
        str(step["reason"]) for step in steps if step.get("audit") == name and step.get("reason")
    )
    deciding = (
        headline_of(name, findings) or [f for f in findings if f.tolerance is not None] or list(findings)
    )
    words = measure(deciding[0].measure)
    limits = dict.fromkeys(_limit(f) for f in deciding if f.tolerance is not None)
    called = _CALLED.get(limit_of(name, document), "")
    levels = sorted({f.family.level for f in deciding if f.family is not None and f.family.level is not None})
    return Criterion(
        title=audit(name).title,
        question=question(name),
        measure=words.title,
        definition=words.definition,
        limit=f"{'; '.join(limits)}{called}" if limits else NO_LIMIT,
        reason=line("; ".join(reasons), _SENTENCES),
        level=", ".join(map(numbers.percent_of, levels)) or "none is stated",
        methods=tuple(dict.fromkeys(_method(f) for f in findings if f.interval is not None)),
    )


def _limit(finding: Finding) -> str:
    """The limit, whatever the estimate."""
    return sentences.limit(finding.amended(estimate=None, interval=None, more_data=None, id=finding.id))


def _method(finding: Finding) -> str:
    assert finding.interval is not None
    return f"{sentences.title(finding)}: {finding.interval.method} ({finding.interval.validity})"


def validities(findings: Sequence[Finding]) -> list[tuple[str, str]]:
    """The words for when intervals hold, of those kinds that are there."""
    there = {finding.interval.validity for finding in findings if finding.interval is not None}
    return [(code, said) for code, said in sentences.VALIDITY_WORDS.items() if code in there]


def not_concluded(findings: Sequence[Finding]) -> Iterator[Open]:
    """What is not decided, nearest to a violation first; what could not be computed or is hidden; what the
    data cannot speak about; and what would make a number that is beyond its limit stand no longer."""
    for finding in by_concern([f for f in findings if f.verdict is Verdict.INCONCLUSIVE]):
        said = f"{sentences.title(finding)}, {short_who(finding)}: {sentences.how_much(finding)}"
        yield Open(said, verdicts.what_would_decide(finding))
    for finding in findings:
        if finding.estimate is None and finding.state != "moot":
            yield Open(f"{sentences.title(finding)}, {short_who(finding)}", f"{sentences.why_not(finding)}.")
    blind = {(one.what, one.why) for finding in findings for one in finding.excluded if one.unidentified}
    for what, why in sorted(blind):
        yield Open(what, f"{why}. The data cannot speak about this.")
    for finding in by_concern(findings):
        if said := sentences.unless(finding).strip():
            yield Open(f"{sentences.title(finding)}, {short_who(finding)}", said)


def cautions(reading: Reading) -> list[tuple[str, str]]:
    """What to take care of, each once, with the audits whose numbers it is about."""
    found: dict[str, dict[str, None]] = {}
    for card in reading.cards:
        for part in (card.main, *card.parts):
            for warning in part.warnings:
                found.setdefault(warning, {})[audit(part.audit).title] = None
    return [(", ".join(titles), warning) for warning, titles in found.items()]


def together(document: Document) -> list[tuple[str, str, str]]:
    """Which intervals hold at once: of each answer its question, what its intervals are of and how many, and
    the level."""
    told = []
    for answer in document.questions:
        names = {family.name for family in answer.headline}
        behind = [f for f in document.findings if f.family is not None and f.family.name in names]
        number = sum(f.interval is not None and not sentences.is_counted(f.interval) for f in behind)
        if answer.level is None or not number:
            continue
        titles = dict.fromkeys(f"{audit(f.audit).title}: {measure(f.measure).title}" for f in behind)
        of = f"{', '.join(titles)} ({numbers.count(number)} {'interval' if number == 1 else 'intervals'})"
        told.append((TOPICS.get(answer.question, answer.question), of, numbers.percent_of(answer.level)))
    return told


def apart(document: Document) -> list[str]:
    """What else has intervals, by audit: these hold with those of their own family, and with no answer."""
    names = {family.name for answer in document.questions for family in answer.headline}
    found: dict[str, dict[str, None]] = {}
    for f in document.findings:
        if f.interval is not None and f.family is not None and f.family.name not in names:
            found.setdefault(audit(f.audit).title, {})[measure(f.measure).title] = None
    return [f"{title}: {', '.join(titles)}" for title, titles in found.items()]


def command(document: Document, *, plan_of_annex: bool = False) -> str:
    """What gives the findings.json of this document again, beside its data and plan file; "" where audits
    were left out that a name does not tell. The plan that is in the annex names the files of the days."""
    plan = document.plan or {}
    words = ["evenhand", "audit", "audit.toml", "--out", "again"]
    if document.seed is not None:
        words += ["--seed", str(document.seed)]
    if plan.get("together"):
        words.append("--together")
    if left := plan.get("left_out"):
        names = [str(step.get("name") or step.get("audit")) for step in plan.get("audits", ())]
        if len({*names, *left}) < len(names) + len(left) or not all(map(_NAME.fullmatch, names)):
            return ""
        words += [
            word for name in names for word in ("--only", name if _BARE.fullmatch(name) else f'"{name}"')
        ]
    if "days" in plan and not plan_of_annex:
        if not _BARE.fullmatch(str(plan["days"])):  # no result of ours says so, and somebody will run it
            return ""
        words += ["--days", str(plan["days"])]
    if "min_cell" in plan:
        words += ["--min-cell", str(plan["min_cell"])]
    return " ".join(words)


def counting_users(document: Document) -> frozenset[str]:
    """The audits of logs that count by users: all their steps in the plan have a column of them. Others count
    rows, or the people of a column that need be no user's, such as a session."""
    steps = (document.plan or {}).get("audits", ())
    named = {str(step.get("audit")) for step in steps} & opportunity.AUDITS.keys()
    return frozenset(name for name in named if all(_by_user(s) for s in steps if s.get("audit") == name))


def _by_user(step: Mapping[str, Any]) -> bool:
    cluster = step.get("cluster") or ""
    first = cluster if isinstance(cluster, str) else cluster[0]
    return str(first).lower().startswith("user")


def rests_on(finding: Finding, by_user: Collection[str] = ()) -> str:
    """What a number is made of: rows, and how many people the groups have at least that it is about, where
    it is people that were counted; `by_user` are the audits of logs that did."""
    told = [] if finding.n is None else [f"{numbers.count(finding.n.count)} {finding.n.of}"]
    of_users = finding.n is not None and finding.n.of == "users"
    if finding.audit in opportunity.AUDITS and not of_users and finding.audit not in by_user:
        return "; ".join(told)
    people = {name: number for name, number in (finding.people or {}).items() if number}
    about = {
        str(one) for value in finding.about.values() if isinstance(value, dict) for one in value.values()
    }
    named = {name: number for name, number in people.items() if name in about} or people
    called = {value: label for of in finding.labels.values() for value, label in of.items()}
    each = [f"{called.get(name, name)} {_least(number)}" for name, number in named.items()]
    # Those who were shown something of creators are not the creators.
    whom = "users" if finding.audit in opportunity.AUDITS else "people"
    if len(named) == 1 and not of_users:
        told += [f"at least {_least(number)} {whom}" for number in named.values()]
    elif 1 < len(named) <= _GROUPS:
        told.append(f"{whom}, at least: {', '.join(each)}")
    return "; ".join(told)


def _least(people: int) -> str:
    """Logs count people by 1,024 hash buckets of their ids, in which many are where nearly all are full: then
    the digits would be of the buckets."""
    return numbers.count(_NEARLY_ALL if _NEARLY_ALL < people <= _BUCKETS else people)


def has_tested_changes(findings: Sequence[Finding]) -> bool:
    """Whether any number is of a change: one that was tried on lists or vectors, or an arm of an A/B test."""
    return any(f.audit in mitigate.AUDITS or {"arm", "baseline"} & f.subject.keys() for f in findings)


def asked(document: Document) -> list[tuple[str, str]]:
    """Each step of the plan: which audit, and all that it was asked in one line."""
    plan = document.plan or {}
    default = plan.get("default_limits", ())
    return [
        (audit(str(step.get("audit"))).title, "; ".join(_told(step, number in default)))
        for number, step in enumerate(plan.get("audits", ()), start=1)
    ]


def _told(step: Mapping[str, Any], default_limit: bool) -> Iterator[str]:
    for key, value in step.items():
        if key != "audit":
            called = _CALLED["default limit"] if default_limit and key == "tolerance" else ""
            yield line(f"{spaced(key)}: {_in_words(value)}{called}", _LONGEST)


def _in_words(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} = {_in_words(one)}" for key, one in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_in_words, value))
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def data(inputs: Mapping[str, Fingerprint]) -> Iterator[tuple[str, str, str, str, str, str]]:
    """A row for each table: name, source, rows, days, what a positive label means, and the fingerprint."""
    for name, one in inputs.items():
        days = "" if one.period is None else " to ".join(dict.fromkeys(one.period))
        rows = "" if one.rows is None else numbers.count(one.rows)
        yield line(name), line(one.source), rows, line(days), line(one.label or ""), line(one.sha256)


def left_out(findings: Sequence[Finding]) -> list[str]:
    """What is in no group, once, with how much and why."""
    told = dict.fromkeys(one for finding in findings for one in finding.excluded)
    return [f"{capital(verdicts.left_out(one))}: {one.why.rstrip('.')}." for one in told]


def judged(
    findings: Sequence[Finding], by_user: Collection[str] = ()
) -> list[tuple[str, str, str, str, str]]:
    """Every number that was judged: verdict, whom, how much, what it rests on, and the id by which
    findings.json has it."""
    return [
        (
            verdicts.WORDS[f.verdict],
            f"{sentences.title(f)}, {short_who(f)}",
            sentences.how_much(f),
            rests_on(f, by_user),
            f.id,
        )
        for f in findings
        if f.tolerance is not None and f.estimate is not None
    ]
