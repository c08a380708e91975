"""What the parts of a plan must say of each other: names of inputs, attributes of labels, no audit twice."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from evenhand.asked.sentences import guess
from evenhand.asked.step import Step
from evenhand.plan.checking.mistakes import Mistake


def unknown_inputs(steps: Mapping[int, Step], known: Collection[str]) -> Iterator[Mistake]:
    """Names of inputs that the plan does not have. Steps are by their places in the plan, from 0."""
    for place, step in steps.items():
        for key, name in step.input_names():
            if name not in known:
                instead = guess(name, list(known)) or f"; add it, or name one of {', '.join(known)}"
                yield Mistake(
                    ("audits", place, *key.split(".", 1)),
                    f"audit {place + 1} ({step.audit}): {key} names the input {name!r}, but there is no "
                    f"[inputs.{name}]{instead}",
                )


def as_meant(step: Step, known: Collection[str]) -> Step:
    """The step with the inputs that were probably meant in the place of those that there are not: to look at
    the rest of what it says."""
    nearest = {
        key: get_close_matches(name, known, n=1) for key, name in step.input_names() if name not in known
    }
    return step.model_copy(update={key: one[0] for key, one in nearest.items() if one and "." not in key})


def the_same_log(steps: Mapping[int, Step]) -> Iterator[Mistake]:
    """Default and random traffic that are one input."""
    for place, step in steps.items():
        logs = [getattr(step, key, None) for key in ("default", "random")]
        if logs[0] is not None and logs[0] == logs[1]:
            yield Mistake(
                ("audits", place, "random"),
                f"audit {place + 1} ({step.audit}): default and random both name the input {logs[0]!r}, and "
                "what is held against itself tells nothing; name the log of random traffic",
            )


def unknown_day(day: Any, columns: Collection[str] | None) -> Iterator[Mistake]:
    """The column of the day, where all tables are open and none has it."""
    if isinstance(day, str) and columns is not None and day not in columns:
        instead = guess(day, sorted(columns)) or "; name a column of the logs"
        yield Mistake(
            ("monitoring", "day"), f"monitoring.day names the column {day!r}, and no table has it{instead}"
        )


def strange_labels(
    labels: Iterable[str], asked: Iterable[Any], columns: Collection[str] | None = None
) -> Iterator[Mistake]:
    """Labels for values of attributes that no audit is about; `asked` are the steps as they are written.
    Where the `columns` of the tables are known, no name is suggested that none of them has, and of a column
    that an audit meant and wrote wrongly only that is told."""
    about = names_in(asked)
    for attribute in labels:
        if attribute in about:
            continue
        if columns and attribute in columns and get_close_matches(attribute, about - set(columns)):
            continue
        known = about & set(columns) if columns else about
        instead = guess(attribute, sorted(known)) or guess(attribute, sorted(columns or ()))
        yield Mistake(
            ("labels", attribute),
            f"labels: no audit of this plan is about {attribute!r}{instead or '; take these labels out'}",
        )


def strange_attributes(
    attributes: Iterable[str], asked: Iterable[Any], columns: Collection[str] | None
) -> Iterator[Mistake]:
    """Attributes of the scope that no audit is about and no table has; `columns` are those of all tables, or
    None where not all could be opened, so that only what is nearly the name of another is told."""
    about = names_in(asked)
    for attribute in attributes:
        if attribute in about or attribute in (columns or ()):
            continue
        instead = guess(attribute, sorted(about | set(columns or ())))
        if instead or columns is not None:
            yield Mistake(
                ("scope", "attributes", attribute),
                f"scope.attributes: no audit is about {attribute!r}, and no table has it"
                f"{instead or '; take it out'}",
            )


def unknown_channels(monitoring: Any) -> Iterator[Mistake]:
    """Whom flags tell and nobody is, whatever else is wrong with the channels."""
    flags, channels = (_tables(monitoring, key) for key in ("flags", "tell"))
    known = [str(one.get("name", one.get("by"))) for one in channels]
    for place, flag in enumerate(flags):
        told = flag.get("tell")
        for number, name in enumerate(told if isinstance(told, list) else []):
            if isinstance(name, str) and name not in known:
                add = f"; add it, or name one of {', '.join(known)}" if known else "; add it"
                yield Mistake(
                    ("monitoring", "flags", place, "tell", number),
                    f"monitoring.flags.{place + 1}.tell names {name!r}, but no [[monitoring.tell]] is called "
                    f"so{guess(name, known) or add}",
                )


def _tables(owner: Any, key: str) -> list[dict[str, Any]]:
    listed = owner.get(key) if isinstance(owner, dict) else None
    return [one if isinstance(one, dict) else {} for one in listed] if isinstance(listed, list) else []


def repeated(steps: Mapping[int, Step]) -> Iterator[Mistake]:
    """Audits that are in the plan already, whatever they are called."""
    seen: list[tuple[int, Step]] = []
    for place, step in steps.items():
        bare = step.bare()
        first = next((other for other, one in seen if one == bare), None)
        if first is not None:
            yield Mistake(
                ("audits", place),
                f"audits {first + 1} and {place + 1} ({step.audit}) are the same, so that what they find "
                "would count twice; leave one out",
            )
        seen.append((place, bare))


def names_in(asked: Iterable[Any]) -> set[str]:
    """Every text in what steps ask, as they are written: among them the attributes that they are about."""
    return {
        name
        for step in asked
        if isinstance(step, dict)
        for key, value in step.items()
        if key not in Step.FOR_PEOPLE
        for name in _names_in(value)
    }


def _names_in(value: Any) -> Iterator[str]:
    """Every text in a value, of `table:column` the column."""
    if isinstance(value, str):
        yield value.rpartition(":")[2]
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _names_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _names_in(inner)
