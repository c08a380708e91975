"""What `evenhand monitor` says on a terminal: of a day that was added or corrected, and of all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evenhand.documents import Document
    from evenhand.findings import Finding
    from evenhand.following import Promise
    from evenhand.monitor import Added, History
    from evenhand.monitor.flags import Flag
    from evenhand.monitor.looking import Looked
    from evenhand.plan.watched.monitoring import Monitoring

_MOST_LINES = 15
_NAMED = 5
_ALL_DAYS, _EACH_DAY = "all days so far", "each day by itself"
_BECAME = {"reopened": "open again", "moved": "of other days"}
# All days may say it sooner than the first days, whose chance is taken for the users' own, let one promise.
_NO_PROMISE = {
    _ALL_DAYS: "no number of days can be promised; it may still be seen.",
    _EACH_DAY: "too seldom to be promised: a day has too little traffic for that.",
}


def of_added(added: Added) -> Iterator[str]:
    """What became of a day, and what it found."""
    yield f"{added.day}: {_became(added)}."
    if added.same_as is not None:
        yield f"It has exactly the numbers of {added.same_as}: was the log of that day written again?"
    yield from (f"! {said}" for said in added.remarks)
    kinds = () if added.raised is None else added.raised.kinds
    if added.what == "taken out":
        yield from _without(added.looked, kinds)
    elif added.looked:
        first = added.looked[0]
        yield from _corrected(added.looked, kinds) if added.what == "corrected" else _of_day(first.found)
        yield from (f"On {added.day} {said}" for said in _left_out(first.found))
    if added.followed.left_out:
        yield not_followed(added.followed.left_out)
    yield from (same_every_day(audit) for audit in dict.fromkeys(added.followed.same_every_day))
    if added.raised is not None:
        yield from added.raised.texts
        if "withdrawn" in kinds:
            yield from _still_beyond(added.looked)
        yield from _some(
            list(added.raised.undecided), "flags stay open so; `evenhand monitor flags` has them"
        )
        if added.raised.unmatched:
            yield f"No finding fits these flags of the plan: {', '.join(added.raised.unmatched)}."


def _became(added: Added) -> str:
    if not added.forgotten:
        return added.what
    return "there already; its evidence was forgotten, and what was found on it stays as it was"


def not_ready(monitoring: Monitoring | None) -> Iterator[str]:
    """Of channels that nobody could be told by from here, before it is needed."""
    from evenhand.plan.watched.readiness import lacking

    for channel in () if monitoring is None else monitoring.tell:
        if why := lacking(channel):
            yield f"! Nobody can be told by {channel.name!r} from here: {why}."


def not_followed(audits: Iterable[str]) -> str:
    return f"Not followed from day to day: {', '.join(dict.fromkeys(audits))}."


def same_every_day(audit: str) -> str:
    """Of an audit that could be followed."""
    return (
        f"Not followed from day to day: {audit}, as its tables are the same on every day; to follow it, "
        "write {day} into the path of one of them."
    )


def _of_day(document: Document) -> Iterator[str]:
    told = [_line(one) for one in _without_mirrored(_judged(document))]
    yield from _some(told, "more; `evenhand monitor show` has them all")


def _without_mirrored(findings: Sequence[Finding]) -> list[Finding]:
    """Of two groups what one has less the other has more: the one that has less is enough."""
    pairs: dict[tuple[str, ...], list[Finding]] = {}
    for one in findings:
        creators = one.about.get("creators")
        if one.measure == "daily_relative_utility" and isinstance(creators, dict):
            pairs.setdefault(tuple(creators), []).append(one)
    mirrored = {
        max(pair, key=lambda one: one.estimate or 0.0).id
        for pair in pairs.values()
        if len(pair) == 2
        and all(one.estimate is not None for one in pair)
        and pair[0].verdict == pair[1].verdict
        and abs(sum(one.estimate or 0.0 for one in pair)) < 1e-9
    }
    return [one for one in findings if one.id not in mirrored]


def _corrected(looked: Sequence[Looked], kinds: Sequence[str]) -> Iterator[str]:
    """The day as it is and was, all days together, and which verdicts of later looks are others."""
    first, *later = looked
    was = {} if first.before is None else {one.id: one for one in _judged(first.before)}
    told = []
    for one in _judged(first.found):
        if one.id in first.of_all_days:
            continue
        before = was.get(one.id)
        said = "not there" if before is None else _verdict(before)
        told.append(f"{_line(one)}. Before: {said}.")
    yield from _some(told, "more; `evenhand monitor show` has them all")
    yield from _made_again(looked[-1], later, kinds)


def _without(looked: Sequence[Looked], kinds: Sequence[str]) -> Iterator[str]:
    """All days that are left together, and which verdicts of later looks are others."""
    if looked:
        yield from _made_again(looked[-1], looked, kinds)
    else:
        yield "No other look was made again."


def _made_again(last: Looked, later: Sequence[Looked], kinds: Sequence[str]) -> Iterator[str]:
    yield from (_line(one) for one in _judged(last.found) if one.id in last.of_all_days)
    if later:
        changed = [line for each in later for line in _other_verdicts(each)]
        many = "1 later look was" if len(later) == 1 else f"{len(later):,} later looks were"
        which = "these verdicts changed" if changed else "no verdict changed"
        yield f"{many} made again; {which}{_of_flags(kinds)}{':' if changed else '.'}"
        yield from _some(changed, "more")
        if changed:
            yield (
                "A look that is made again spends a part of the error of its own, so its intervals are "
                "wider: by that alone a verdict can become not decided, though the numbers are the same."
            )


def _of_flags(kinds: Sequence[str]) -> str:
    """What happened to flags, by how many: that no verdict changed is not that nothing did."""
    numbers = Counter(kinds)
    told = [f"{number:,} {_BECAME.get(kind, kind)}" for kind, number in numbers.items()]
    return f" (flags: {', '.join(told)})" if told else ""


def _still_beyond(looked: Sequence[Looked]) -> Iterator[str]:
    """That a flag is withdrawn is no all-clear of the days that were looked at again."""
    days = [
        each.day
        for each in looked
        if any(one.id not in each.of_all_days and one.verdict == "violation" for one in _judged(each.found))
    ]
    if days:
        yield f"By {'itself' if len(days) == 1 else 'themselves'} still beyond the limit: {_listed(days)}."


def _other_verdicts(looked: Looked) -> Iterator[str]:
    from evenhand.report.words import people, verdicts

    was = {} if looked.before is None else {one.id: one for one in looked.before.findings}
    for one in _judged(looked.now):
        before = was.get(one.id)
        if before is not None and before.verdict is not None and before.verdict != one.verdict:
            is_now, was_then = verdicts.WORDS[one.verdict], verdicts.WORDS[before.verdict]
            yield f"  {looked.day}: {people.short_who(one)}: {is_now}; it was {was_then}"


def _judged(document: Document) -> list[Finding]:
    """Findings that have a limit, as they are shown, those that are furthest from a pass first."""
    from evenhand.report.words import verdicts
    from evenhand.report.words.legible import legible

    judged = [one for one in legible(document).findings if one.tolerance is not None]
    return sorted(judged, key=lambda one: list(verdicts.WORDS).index(one.verdict))


def _line(finding: Finding) -> str:
    from evenhand.report.words import people, verdicts

    return f"{verdicts.SHAPES[finding.verdict]} {_verdict(finding, people.short_who(finding))}"


def _verdict(finding: Finding, who: str = "") -> str:
    from evenhand.report.words import sentences, verdicts

    said = sentences.how_much(finding)
    return f"{verdicts.WORDS[finding.verdict]}: {who}{': ' if who else ''}{said}"


def _left_out(document: Document) -> list[str]:
    from evenhand.monitor.page.words import left_out

    return left_out(document)


def before_the_last_day(found: History, flags: Sequence[Flag]) -> Iterator[str]:
    """What stands, at the very head: the result below it is that of the last day alone."""
    from evenhand.monitor.page.words import standing
    from evenhand.report.words.legible import legible

    assert found.document is not None
    raised = [(one.rule, one.opened) for one in flags if one.state == "open"]
    said = standing(raised, legible(found.document).findings)
    yield from said
    if said:
        yield f"The latest {found.period}, {found.days[-1].day}, by itself:"


def of_history(found: History, flags: Sequence[Flag]) -> Iterator[str]:
    """Flags first, then all days together, then what the days are."""
    from evenhand.report.words.legible import line

    yield from _flags(flags)
    assert found.document is not None
    for one in _judged(found.document):
        if one.id in found.of_all_days:
            yield _line(one)
    days, unit = found.days, found.period
    last = days[-1].day
    yield from (f"On {last} {said}" for said in _left_out(found.document))
    span = last if len(days) == 1 else f"from {days[0].day} to {last}"
    yield f"{len(days):,} {unit if len(days) == 1 else f'{unit}s'}, {span}."
    if len(days) > 1:
        yield (
            f"Intervals of single {unit}s are wider from look to look, as each further look has less of the "
            "error left: so they hold at every look at once."
        )
    if found.gaps:
        them = "it" if len(found.gaps) == 1 else "them"
        yield f"Missing: {_listed(found.gaps)}. Nothing is known of {them}, which is no pass."
    remarked = [f"{one.day}: {said}" for one in days for said in one.remarks]
    yield from _some([f"! {one}" for one in reversed(remarked)], "remarks on earlier days are on the page")
    for day in days:
        if day.revision > 1:
            yield f"{day.day} was corrected: {line(day.reason)}"
    if len(found.regimes) > 1:
        regime = found.regimes[-1]
        why = line(regime.reason)
        yield f"Days before {regime.first_day} are not taken together with those since: {why}"
        yield (
            f"Intervals hold at every look of one regime: with {len(found.regimes)} of them, the chance of a "
            f"false flag is up to {len(found.regimes)} times as large."
        )
    if forgotten := [one.day for one in days if one.forgotten]:
        yield f"The evidence of days up to {max(forgotten)} was forgotten; what was found on them stays."


def _flags(flags: Sequence[Flag]) -> Iterator[str]:
    from evenhand.report.words.legible import line

    now = [one for one in flags if one.state == "open"]
    yield from _some(
        [f"Open flag “{line(one.rule)}” since {one.opened}: {line(one.said, 400)}" for one in now],
        "more are open; `evenhand monitor flags --open` has them",
    )
    closed = sum(one.state == "closed" for one in flags)
    if closed or not now:
        before = f"; {closed:,} opened and closed before" if closed else ""
        yield f"{'No flag is open' if not now else f'{len(now):,} open'}{before}."


def of_promises(promised: Sequence[Promise], found: History) -> Iterator[str]:
    """How long a change takes to be flagged: a line a measure, of the pair or metric that takes longest, and
    of whom nothing can be promised."""
    if not promised:
        return
    from evenhand.report.vocabulary.names import measure
    from evenhand.report.words.numbers import figure

    yield "How soon would a change of now be flagged? (in 4 of 5 cases; from the first days, and no result)"
    lines: dict[tuple[str, str], list[Promise]] = {}
    for one in promised:
        name = one.finding.partition("/")[0].partition(".")[2]
        pooled = one.finding.endswith("/days=all") or name.startswith("running_")
        lines.setdefault((name, _ALL_DAYS if pooled else _EACH_DAY), []).append(one)
    for (name, reading), those in lines.items():
        days = [one.days for one in those if one.days is not None]
        show: Any = measure(name).show
        size, limit = (
            figure(value, show, _decimals(value, show)) for value in (those[0].size, those[0].limit)
        )
        said = f"  {name}, {reading}: were it {size} (limit {limit}), "
        several = _for_whom(those, found) if len(days) < len(those) else ""
        yield (
            f"{said}within {max(days):,} {'day' if max(days) == 1 else 'days'}{several}."
            if days
            else f"{said}{_NO_PROMISE[reading]}"
        )


def _decimals(value: float, show: str) -> int:
    """Of a size as it was asked for: 16.5% is not 16%."""
    return 2 if show != "percent" else int(abs(100 * value - round(100 * value)) > 0.05)


def _for_whom(those: Sequence[Promise], found: History) -> str:
    """Whom a promise is for, where it is not for all."""
    from evenhand.report.words.legible import legible
    from evenhand.report.words.people import listed, short_who

    shown = () if found.document is None else legible(found.document).findings
    names = {one.id: short_who(one) for one in shown}
    them = [names.get(one.finding, one.finding) for one in those if one.days is not None]
    more = [f"{len(them) - _NAMED:,} more"] if len(them) > _NAMED else []
    rest = len(those) - len(them)
    others = "the other" if rest == 1 else f"the other {rest:,}"
    return f" for {listed([*them[:_NAMED], *more])}; for {others} too seldom to be promised"


def _some(lines: Sequence[str], more: str) -> Iterator[str]:
    yield from lines[:_MOST_LINES]
    if len(lines) > _MOST_LINES:
        yield f"and {len(lines) - _MOST_LINES:,} {more}."


def _listed(days: Sequence[str]) -> str:
    more = f" and {len(days) - _NAMED} more" if len(days) > _NAMED else ""
    return ", ".join(days[:_NAMED]) + more
