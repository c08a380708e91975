"""A plan file, read and checked; where it is wrong, all of it is said at once, also what its tables lack."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from evenhand.addresses import has_password
from evenhand.asked.audits import AUDITS
from evenhand.asked.sentences import Place, problems
from evenhand.asked.step import Step
from evenhand.errors import InputError
from evenhand.files import content_of
from evenhand.plan.checking import crosswise
from evenhand.plan.checking.frame import every_problem
from evenhand.plan.checking.mistakes import Mistake, PlanError, Source
from evenhand.plan.model import NO_LIST, InputSpec, Plan, Refused, in_file, step_of
from evenhand.plan.running import days, opening
from evenhand.plan.watched import flagged
from evenhand.plan.watched.monitoring import FlagRule

# Names of a hundred parts and more, of which nobody's plan has four; tomllib takes minutes for long ones.
_PART = r"(?:[A-Za-z0-9_-]+|\"[^\"\n]*\"|'[^'\n]*')"
_STORE = ("monitoring", "store")
_TOO_DEEP = re.compile(rf"(?<![A-Za-z0-9_-]){_PART}(?:[ \t]*[.][ \t]*{_PART}){{100}}")


def load(path: str | Path) -> Plan:
    """Read and check a plan file. What is wrong with it is said all at once, with lines; where it cannot be a
    plan at all (no file, no TOML), that is said alone."""
    path = Path(path)
    source, content = read(path)
    try:
        plan = Plan.model_validate(content)
    except (Refused, ValidationError):
        raise PlanError(source, list(_mistakes(content, path.parent))) from None
    return plan.read_from(source)


def read(path: Path) -> tuple[Source, dict[str, Any]]:
    """The text of a plan file, and what it says as TOML."""
    try:
        text = content_of(path).decode("utf-8-sig")
        if _TOO_DEEP.search(text):
            raise RecursionError
        content = tomllib.loads(text)
    except FileNotFoundError:
        raise InputError(f"There is no plan {path}; `evenhand init` writes one from your files.") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a folder; name the plan file in it, such as audit.toml.") from None
    except OSError as error:
        raise InputError(f"The plan {path} cannot be read ({error.strerror}); check the path.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path.name} is not a plan: a plan is a TOML file in UTF-8.") from error
    except RecursionError:
        raise InputError(f"{path.name} is not a plan: it is nested too deeply.") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path.name} is not valid TOML: {error}.") from error
    except ValueError:  # Python reads no whole number of more than 4,300 digits
        raise InputError(f"{path.name} is not a plan: a number in it has thousands of digits.") from None
    source = Source(path.name, text, content)
    # Alone and before all else: whatever is said of an address later may repeat it.
    if secrets := list(_passwords(content)):
        raise PlanError(source, secrets)
    return source, content


def _passwords(given: Any, place: Place = ()) -> Iterator[Mistake]:
    """The addresses that have a password, none of which is shown."""
    if isinstance(given, dict | list):
        for key, value in given.items() if isinstance(given, dict) else enumerate(given):
            yield from _passwords(value, (*place, key))
    elif isinstance(given, str) and has_password(given) and place[:2] != ("monitoring", "tell"):
        # Those who are told have rules of their own, which are stricter.
        instead = "the address into the environment, as EVENHAND_STORE" if place == _STORE else "PGPASSWORD"
        yield Mistake(
            place,
            f"{'.'.join(map(str, place))} has a password, which everybody who sees the plan would see; take "
            f"it out, and {'put' if place == _STORE else 'set'} {instead}",
        )


def _mistakes(content: dict[str, Any], base: Path) -> Iterator[Mistake]:
    """Everything that is wrong with a plan: its parts, each by itself; what they say of each other; and, as
    far as what is right says it, what is not in the tables."""
    frame = list(_of_the_frame(content))
    yield from frame
    steps: dict[int, Step] = {}
    sketched: dict[int, Step] = {}
    audits = content.get("audits")
    if audits is not None and not isinstance(audits, list):
        yield Mistake(("audits",), NO_LIST)
    written = audits if isinstance(audits, list) else []
    for place, given in enumerate(written):
        try:
            steps[place] = step_of(given, ("audits", place))
        except Refused as refused:
            yield from refused.mistakes
            wrong = {one.place[2] for one in refused.mistakes if len(one.place) > 2}
            if wrong and (mended := _mended(given, wrong)) is not None:
                sketched[place], hidden = mended
                yield from (Mistake(("audits", place, *inner), said) for inner, said in hidden)
    known = content.get("inputs")
    named = list(known) if isinstance(known, dict) else []
    if isinstance(known, dict):
        yield from crosswise.unknown_inputs(steps | sketched, named)
    labels = content.get("labels")
    yield from crosswise.repeated(steps)
    yield from crosswise.the_same_log(steps | sketched)
    yield from flagged.that_never_rise(_flags(content.get("monitoring")), (steps | sketched).values())
    specs = {name: spec for name in named if (spec := _spec(known[name], base)) is not None}  # type: ignore[index]
    wrong_keys = {one.place[0] for one in frame if one.place}
    right = {key: content.get(key) for key in ("engine", "columns") if key not in wrong_keys}
    tables, unopened, meant = opening.opened(specs, base, **right)
    yield from unopened
    columns = {column for table in tables.values() for column in table.columns}.union(*meant.values())
    yield from crosswise.strange_labels(labels if isinstance(labels, dict) else (), written, columns)
    scope = content.get("scope")
    attributes = scope.get("attributes") if isinstance(scope, dict) else None
    all_columns = columns if len(tables) == len(named) else None
    yield from crosswise.strange_attributes(
        attributes if isinstance(attributes, dict) else (), written, all_columns
    )
    monitoring = content.get("monitoring")
    day = monitoring.get("day") if isinstance(monitoring, dict) else None
    yield from crosswise.unknown_day(day, all_columns)
    at_home = {
        place: step.at_home(lambda path: opening.located(path, base, tables))
        for place, step in (steps | sketched).items()
        if _is_whole(step)
    }
    yield from opening.checked(at_home, tables, len(written), meant)
    for place, step in (steps | sketched).items():
        if place not in at_home or any(name not in named for _, name in step.input_names()):
            guessed = crosswise.as_meant(step, named)
            yield from opening.without_columns(place, guessed, tables, len(written), meant).values()


def _of_the_frame(content: dict[str, Any]) -> Iterator[Mistake]:
    """What is wrong with all parts but the audits."""
    audits = content.get("audits")
    # In the place of the audits, which are looked at one by one.
    given = {**content, "audits": [Step.model_construct(audit="")]}
    untold = list(crosswise.unknown_channels(content.get("monitoring")))
    for place, said in every_problem(Plan, given, {"parts_only": True}):
        # That nobody is called so is told with its line.
        if not (untold and "[[monitoring.tell]] is called" in said):
            yield Mistake(place, said)
    if audits is None or audits == []:
        yield from _without_audits(content)
    yield from untold


def _without_audits(content: dict[str, Any]) -> Iterator[Mistake]:
    try:
        Plan.model_validate(content, context={"parts_only": True})
    except ValidationError as error:
        for place, said in problems(error, Plan, content, in_file):
            if place[:1] == ("audits",):
                yield Mistake(place, said)


def _mended(given: Any, wrong: set[Any]) -> tuple[Step, list[tuple[Place, str]]] | None:
    """A step without what is wrong in it, as far as it goes: to look at the rest; and what is wrong with how
    its keys go together, which is looked at only where each of them is right."""
    declared = AUDITS.get(str(given.get("audit"))) if isinstance(given, dict) else None
    if declared is None:
        return None
    model = declared.load()
    right = {key: value for key, value in given.items() if key not in wrong}
    try:
        return model.model_validate(right), []
    except ValidationError as error:
        empty = {key: None for key, field in model.model_fields.items() if field.is_required()}
        said = [(place, one) for place, one in problems(error, model, right, in_file) if not place]
        return model.model_construct(**{**empty, **right}), said


def _is_whole(step: Step) -> bool:
    """Whether it has all that it must have."""
    return all(
        getattr(step, key) is not None
        for key, field in type(step).model_fields.items()
        if field.is_required()
    )


def _flags(monitoring: Any) -> dict[int, FlagRule]:
    """What flags follow, by their places, whatever else is wrong with them."""
    written = monitoring.get("flags") if isinstance(monitoring, dict) else None
    found: dict[int, FlagRule] = {}
    for place, given in enumerate(written if isinstance(written, list) else []):
        if isinstance(given, dict):
            followed = {key: given[key] for key in ("name", "audit", "measure", "id") if key in given}
            with suppress(ValidationError):  # told by itself
                found[place] = FlagRule.model_validate(followed)
    return found


def _spec(given: Any, base: Path) -> InputSpec | None:
    """An input that is right by itself; of one with {day}, the last day that is there."""
    try:
        spec = InputSpec.model_validate(given)
    except ValidationError as error:
        wrong = {str(one["loc"][0]) for one in error.errors() if one["loc"]}
        # Without these its columns are the same, so that mistakes about them are told at once.
        if not isinstance(given, dict) or not wrong or not wrong <= {"folders", "label_definition"}:
            return None
        right = {key: value for key, value in given.items() if key not in wrong}
        in_folders = "folders" in wrong and "=" in str(given.get("path"))
        return _spec(right | ({"folders": True} if in_folders else {}), base)
    return days.latest(spec, base)
