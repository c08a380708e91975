"""Every audit is declared once: call, plan and command agree, and a range is a range everywhere."""

from __future__ import annotations

import inspect
from importlib import import_module
from types import SimpleNamespace

import pytest
from pydantic import TypeAdapter, ValidationError

import evenhand as eh
from evenhand.asked.audits import AUDITS, QUESTIONS
from evenhand.asked.marks import Location, Table, TableColumn, Tables
from evenhand.asked.sentences import problem, requirement
from evenhand.asked.step import Question, Step
from evenhand.cli.options import Option
from evenhand.parameters import shown
from evenhand.plan.model import in_file

DECLARED = AUDITS | QUESTIONS
STEPS = {name: declared.load() for name, declared in DECLARED.items()}


def call_of(step: type[Question]):
    module, _, name = step.calls.partition(":")
    return getattr(import_module(module), name)


def parameters_of(step: type[Question]) -> dict[str, object]:
    """The keys that are no data, and not for people alone, with their defaults."""
    data = (Table, Tables, TableColumn, Location)
    asked = {
        key: step.model_fields[key] for key in step.model_fields if key not in {"audit", *Step.FOR_PEOPLE}
    }
    return {
        key: field
        for key, field in asked.items()
        if not any(isinstance(mark, data) for mark in field.metadata)
    }


@pytest.mark.parametrize("name", STEPS)
def test_the_call_takes_every_parameter_with_the_same_default(name):
    taken = dict(inspect.signature(call_of(STEPS[name])).parameters)
    if "options" in taken:  # which are those of
        taken = dict(inspect.signature(eh.envy.simulate).parameters) | taken
    for key, field in parameters_of(STEPS[name]).items():
        assert key in taken, key
        if field.is_required() or key == "beta":  # which depends on what is compared
            continue
        default = taken[key].default
        given = list(default) if isinstance(default, tuple) else default
        assert given == field.get_default(call_default_factory=True), key


@pytest.mark.parametrize("name", STEPS)
def test_every_key_has_its_help(name):
    for key, field in STEPS[name].model_fields.items():
        if key != "audit":
            assert field.description, key
            assert field.description.rstrip("]").endswith((".", "?", "items`")), key


@pytest.mark.parametrize("name", STEPS)
def test_the_name_and_the_first_sentence_are_those_of_the_list(name):
    assert name in QUESTIONS or STEPS[name].model_fields["audit"].default == name
    first = (inspect.getdoc(STEPS[name]) or "").split("\n\n")[0]
    assert " ".join(first.split()) == DECLARED[name].about


class Odd:
    """A value that nothing can be."""

    def __repr__(self) -> str:
        return "odd"


def refused(step: type[Question], key: str, *name_of) -> str:
    """What is said of this key alone, whatever else is missing."""
    with pytest.raises(ValidationError) as error:
        step.model_validate({key: Odd()})
    ours = [one for one in error.value.errors() if one["loc"][:1] == (key,)]
    return problem(SimpleNamespace(errors=lambda: ours), step, {key: Odd()}, *name_of)


@pytest.mark.parametrize(
    ("name", "key"), [(name, key) for name, step in STEPS.items() for key in parameters_of(step)]
)
def test_what_is_refused_is_refused_in_the_same_words(name, key):
    """By a call, in a plan and on the command line: they differ in what they call the parameter alone."""
    step = STEPS[name]
    flag = Option(key, step.model_fields[key]).flag
    must = f"odd, but must be {requirement(step.model_fields[key])}"
    assert refused(step, key) == f"{key} is {must}"
    assert refused(step, key, lambda place: in_file(("audits", 0, *place))) == f"audits.1.{key} is {must}"
    assert refused(step, key, lambda place: flag) == f"{flag} is {must}"


# A call may also be given what no plan can say: a column of chances, rewards from elsewhere.
OF_CALLS = {("exposure", "propensity"), ("envy_simulate", "means"), ("envy_plan", "gaps")}


@pytest.mark.parametrize(
    ("name", "key"),
    [
        (name, key)
        for name, step in STEPS.items()
        for key in parameters_of(step)
        if (name, key) not in OF_CALLS
    ],
)
def test_the_call_itself_refuses_in_these_words_before_it_looks_at_data(name, key):
    step = STEPS[name]
    logs = {"random": object(), "control": object(), "treatment": object()}
    data = {"logs": logs, "arms": {"control": object(), "treatment": object()}, "means": [0.5, 0.6]}
    given = {
        other: usable(field, other) for other, field in parameters_of(step).items() if field.is_required()
    }
    for other, parameter in inspect.signature(call_of(step)).parameters.items():
        if parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD:
            given[other] = data.get(other, given.get(other, object()))
    with pytest.raises(eh.InputError) as error:
        call_of(step)(**given | {key: Odd()})
    assert str(error.value) == f"{key} is odd, but must be {requirement(step.model_fields[key])}."


def beyond(field) -> list[float]:
    """Numbers just outside the range of a field."""
    outside = {"ge": lambda limit: limit - 1, "gt": float, "le": lambda limit: limit + 1, "lt": float}
    return [
        outside[name](getattr(mark, name))
        for mark in field.metadata
        for name in outside
        if getattr(mark, name, None) is not None
    ]


def usable(field, name: str = "search") -> object:
    """Something that a field can be."""
    for given in (name, "search", 0.5, [0.5], [name]):
        try:
            return TypeAdapter(field.annotation).validate_python(given, strict=True)
        except ValidationError:
            continue
    raise AssertionError(f"none of them can be {field.annotation}")


@pytest.mark.parametrize(
    ("name", "key", "given"),
    [
        (name, key, given)
        for name, step in STEPS.items()
        for key, field in parameters_of(step).items()
        for given in beyond(field)
    ],
)
def test_a_range_is_that_of_the_call(name, key, given):
    asked = next(kind for kind in STEPS[name].__mro__ if kind.__name__.startswith("Asked"))
    others = {other: usable(field) for other, field in asked.model_fields.items() if field.is_required()}
    with pytest.raises(eh.InputError) as error:
        asked.checked(**others | {key: given})
    assert str(error.value).startswith(f"{key} is {shown(given)}, but must be ")


# In the words of a call, which are those of a plan and a command: a percentage, a comma, and a sound reason.
@pytest.mark.parametrize(
    ("name", "key", "given", "said"),
    [
        ("opportunity", "tolerance", 11, "a number above 0 and below 1 (11% is 0.11)."),
        ("opportunity", "tolerance", "11%", "a number above 0 and below 1 (11% is 0.11)."),
        ("opportunity", "tolerance", "0,1", "a number above 0 and below 1 (write 0.1, with a point)."),
        ("opportunity", "tolerance", -0.1, "a number above 0 and below 1."),
        (
            "opportunity", "tolerance", 1.2,
            "a number above 0 and below 1: where half of the groups get nothing at all, the penalty is 1.",
        ),
        ("opportunity", "level", 95, "a finite number from 0.5 to 0.9999 (95% is 0.95)."),
        ("opportunity", "level", 5, "a finite number from 0.5 to 0.9999."),
        ("envy", "tolerance", 10, "a number from 0 to below 1 (10% is 0.1)."),
        ("envy", "gamma", 10, "a finite number from 0 to 1 (10% is 0.1)."),
        ("exposure", "patience", 80, "(80% is 0.8)."),
        ("association", "tolerance", 10, "a number from 0 to below 1 (10% is 0.1)."),
        ("association", "alpha", 5, "(5% is 0.05)."),
        (
            "plan_traffic", "random_share", 1,
            "a share from one in a million million to 0.99, or a list of several (1% is 0.01).",
        ),
        ("opportunity", "replicates", 50, "a whole number from 100 to 1,000,000."),
    ],
)  # fmt: skip
def test_a_percentage_in_place_of_a_share_is_said_to_be_one(name, key, given, said):
    asked = next(kind for kind in STEPS[name].__mro__ if kind.__name__.startswith("Asked"))
    others = {other: usable(field) for other, field in asked.model_fields.items() if field.is_required()}
    with pytest.raises(eh.InputError) as error:
        asked.checked(**others | {key: given})
    assert str(error.value).startswith(f"{key} is {given!r}, but must be ")
    assert str(error.value).endswith(said)


def test_where_further_problems_are_is_said():
    with pytest.raises(eh.InputError, match=r"\(1% is 0\.01\) \(and 2 more problems: half_width, level\)\.$"):
        eh.opportunity.plan_traffic(rows_a_day=1000, random_share=1, half_width=5, level=95)
