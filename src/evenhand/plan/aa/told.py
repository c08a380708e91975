"""What a trial of a gate says, in words and as JSON."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from evenhand.findings import Verdict
from evenhand.plan.aa.trial import Trial, Tried
from evenhand.report.gate import FAILING
from evenhand.report.vocabulary.names import audit
from evenhand.report.words import legible, verdicts
from evenhand.stats.means.proportions import clopper_pearson

SCHEMA = "evenhand.aa/1"
LEVEL = 0.95
# So seldom that one half alarms alone hardly matters.
_SELDOM = 0.05
# What is said above the gates of each kind, that on a change first.
_KINDS = {
    True: (
        "Gates on a change. All users of the arms were dealt out to the arms anew, at random. So no arm can "
        "differ from another, and every alarm is for nothing."
    ),
    False: (
        "Gates on a level. Users were split into two halves at random, and what is true of one half is true "
        "of the other. Where only one of them alarms, chance decided."
    ),
}


def lines(trial: Trial, fail_on: str) -> Iterator[str]:
    """A trial in sentences, for a terminal."""
    failing = FAILING[fail_on]
    yield f"How often would --fail-on {fail_on} alarm for nothing? (seed {trial.seed})"
    tried = [one for one in trial.audits if not one.why_not]
    for of_a_change, said in _KINDS.items():
        alike = [one for one in tried if one.of_a_change is of_a_change]
        if alike:
            yield f"\n{said}"
        for one in alike:
            yield f"\n  {_named(one)}"
            yield from (f"    {line}" for line in _counted(one, failing))
        if of_a_change and len(alike) > 1:
            yield f"\n  {_together(alike, failing)}"
    unsplit = [one for one in trial.audits if one.why_not]
    if unsplit:
        yield "\nCould not be tried:"
    for one in unsplit:
        yield f"  {_named(one)}: {legible.line(one.why_not, 800)}."
    if tried and trial.together:
        yield (
            "\nThe plan asks all questions together, which makes its gate more careful. Here each audit was "
            "tried at its own level."
        )
    if tried:
        yield (
            "\nAll are splits of the same data. A range in brackets is where a share would settle with more "
            f"splits ({LEVEL:.0%}, Clopper and Pearson), not what other weeks would give."
        )
    else:
        yield "\nNo audit of this plan could be tried." if unsplit else "\nStopped before anything was tried."


def _named(tried: Tried) -> str:
    said = f"Audit {tried.number}, {audit(tried.audit).title.lower()}"
    return f"{said} ({legible.line(tried.name)})" if tried.name else said


def _counted(tried: Tried, failing: Collection[Verdict]) -> Iterator[str]:
    done, alarming = len(tried.verdicts), tried.alarming(failing)
    if done < tried.asked:
        yield f"Stopped after {done:,} of {tried.asked:,} splits."
    if not done:
        return
    if tried.of_a_change:
        yield f"Alarmed for nothing in {_share(alarming[1], done)}."
        yield from _why(tried, failing)
        return
    yield _answer(tried, failing)
    yield f"Both halves alarmed in {alarming[2]:,} of {done:,} splits, neither in {alarming[0]:,}."
    yield f"One half alone alarmed in {_share(alarming[1], done)}."
    yield from _why(tried, failing)
    yield _meaning(tried, failing)


def _answer(tried: Tried, failing: Collection[Verdict]) -> str:
    """How often a gate on a level alarms for nothing, as far as all users tell what is true."""
    halves, alarms = 2 * len(tried.verdicts), tried.alarms(failing).total()
    if tried.whole is Verdict.WITHIN_TOLERANCE:
        return (
            f"Alarmed for nothing in {alarms:,} of {halves:,} halves ({alarms / halves:.1%}): all users are "
            f"{verdicts.WORDS[tried.whole]}."
        )
    if tried.whole is Verdict.VIOLATION:
        missed = halves - alarms
        return (
            f"An alarm is not for nothing here: all users are {verdicts.WORDS[tried.whole]}. Half of them "
            f"would not have set it off in {missed:,} of {halves:,} halves ({missed / halves:.1%})."
        )
    return (
        "Whether an alarm is for nothing cannot be told here: of all users it is "
        f"{verdicts.WORDS[tried.whole]}."
    )


def _why(tried: Tried, failing: Collection[Verdict]) -> Iterator[str]:
    """Of what kind the alarms are, where they are not all of harm."""
    found = tried.alarms(failing)
    if found[Verdict.INCONCLUSIVE]:
        yield (
            f"Of {found.total():,} alarms {found[Verdict.VIOLATION]:,} say harm; "
            f"{found[Verdict.INCONCLUSIVE]:,} are not decided: there the data does not tell."
        )
    if found[Verdict.NOT_APPLICABLE]:
        yield f"{found[Verdict.NOT_APPLICABLE]:,} could not be computed from a part of the users."


def _meaning(tried: Tried, failing: Collection[Verdict]) -> str:
    """What it means that halves with one truth had these answers."""
    done, alarming, found = len(tried.verdicts), tried.alarming(failing), tried.alarms(failing)
    if found.total() and found[Verdict.VIOLATION] < found.total() / 2:
        return (
            "Most of these are no sign of harm: half of the users are too few to tell. All of them tell more."
        )
    if alarming[2] == done:
        return "It alarms whichever half is looked at: that is the system, not who happens to be in the log."
    if alarming[0] == done:
        return "It alarms in no half: while the system is as it is, chance alone hardly sets it off."
    if clopper_pearson(alarming[1], done, LEVEL)[1] < _SELDOM:
        return "Who happens to be in the log has little say in the answer."
    return (
        "Who happens to be in the log has a say in the answer. The two halves of a split are complements: "
        "who is not in the one is in the other, so near the limit mostly one lies above it and the other "
        "below, and one alone alarms often. All users are twice as many as a half, and their answer is "
        "steadier."
    )


def _together(changes: list[Tried], failing: Collection[Verdict]) -> str:
    """Any of several gates on changes, split by split."""
    splits = list(zip(*(one.verdicts for one in changes), strict=False))
    alarmed = sum(any(verdict in failing for (verdict,) in one) for one in splits)
    if not splits:
        return f"Any of these {len(changes)}: no split was tried yet."
    return f"Any of these {len(changes)} alarmed for nothing in {_share(alarmed, len(splits))}."


def _share(count: int, total: int) -> str:
    """ "3 of 400 splits: 0.8% (0.2 to 2.2%)"."""
    low, high = clopper_pearson(count, total, LEVEL)
    return f"{count:,} of {total:,} splits: {count / total:.1%} ({low * 100:.1f} to {high:.1%})"


def as_json(trial: Trial, fail_on: str) -> dict[str, Any]:
    """A trial for programs."""
    return {
        "schema": SCHEMA,
        "fail_on": fail_on,
        "seed": trial.seed,
        "level": LEVEL,
        "done": trial.done,
        "audits": [_as_json(one, FAILING[fail_on]) for one in trial.audits],
    }


def _as_json(tried: Tried, failing: Collection[Verdict]) -> dict[str, Any]:
    told: dict[str, Any] = {"number": tried.number, "audit": tried.audit, "name": tried.name}
    if tried.why_not:
        return told | {"why_not": tried.why_not}
    done, alarming = len(tried.verdicts), tried.alarming(failing)
    told |= {"of": "change" if tried.of_a_change else "level", "all_users": tried.whole}
    told |= {"splits": done, "asked": tried.asked, "alarmed_alone": alarming[1]}
    if not tried.of_a_change:
        told |= {"alarmed_both": alarming[2]}
    if done:
        low, high = clopper_pearson(alarming[1], done, LEVEL)
        told |= {"share": alarming[1] / done, "low": low, "high": high}
    return told
