"""Commands made from the declarations of audits."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import typer

from evenhand.asked import written
from evenhand.asked.audits import AUDITS, QUESTIONS
from evenhand.asked.marks import Table, TableColumn, Tables
from evenhand.asked.step import Question, Step
from evenhand.cli import common, data_folder
from evenhand.cli.options import Option
from evenhand.cli.pages import SectionedCommand
from evenhand.errors import InputError

# Answers a question that is no audit of a plan: gets what is asked, checked, and how to tell the answer.
Answer = Callable[[Any, common.ReportOptions], None]


def alone(name: str, answer: Answer | None = None) -> typer.Typer:
    """The command `name` as an application of its own."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    add(app, name, answer)
    return app


def add(app: typer.Typer, name: str, answer: Answer | None = None) -> None:
    """Give an application the command `name`: that of audits, or of a question with its `answer`."""
    made = command(name) if answer is None else asking(name, answer)
    app.command(name.split()[-1], cls=SectionedCommand)(made)


def command(name: str, *, in_group: bool = False) -> Callable[..., None]:
    """The function of the command `name`.

    Where several audits have that command, it asks the first, or another that a key of its own asks for, as
    `opportunity --day` asks for a series.
    """
    steps = [declared.load() for declared in AUDITS.values() if declared.command == name]
    options = _options(steps)
    flags = {key: option.flag for key, option in options.items()}
    filled = data_folder.fills(steps[0])

    def run(context: typer.Context, **given: Any) -> None:
        if context.invoked_subcommand is not None:
            _refuse_before(context)
            return
        told = _told(given, options)
        step = _asked_for(steps, told, flags)
        settings = _settings(given, options)
        if settings.title is None:
            settings = replace(settings, title=step.title_of(told))
        with data_folder.filled(settings.data, step, told, flags) as (told, about):
            content, paths = _as_in_a_plan(told, options)
            content = step.read_together(content, flags)
            asked = {"audit": step.model_fields["audit"].default, **content}
            common.run_step(paths, asked, name, flags, replace(settings, about_data=about))

    parameters = [
        inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context),
        *(
            option.parameter(flags, in_group, key not in steps[0].model_fields, key in filled)
            for key, option in options.items()
        ),
        *_shared(steps[0]),
    ]
    return _described(run, steps[0], parameters)


def asking(name: str, answer: Answer) -> Callable[..., None]:
    """The function of the command `name`, which asks a question that is no audit of a plan."""
    question = next(declared for declared in QUESTIONS.values() if declared.command == name).load()
    options = _options([question])
    flags = {key: option.flag for key, option in options.items()}

    def run(**given: Any) -> None:
        content = {key: options[key].value(text) for key, text in _told(given, options).items()}
        asked = question.read(content, lambda place: flags[str(place[0])])
        answer(asked, _settings(given, options))

    parameters = [
        *(option.parameter(flags, in_group=False, optional=False) for option in options.values()),
        *_as_parameters(common.ABOUT_ANSWERS),
    ]
    return _described(run, question, parameters)


def _options(questions: Sequence[type[Question]]) -> dict[str, Option]:
    """The keys of all of them, each as the first has it."""
    found: dict[str, Option] = {}
    for question in questions:
        for key, field in question.model_fields.items():
            option = Option(key, field)
            if key != "audit" and not option.written.never:
                found.setdefault(key, option)
    return found


def _described(
    run: Callable[..., None], question: type[Question], parameters: list[inspect.Parameter]
) -> Callable[..., None]:
    """`run` as Typer reads it: with the help of the question, and these parameters."""
    run.__doc__ = inspect.cleandoc(question.__doc__ or "")
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    return run


def _settings(given: Mapping[str, Any], options: Mapping[str, Option]) -> common.ReportOptions:
    return common.ReportOptions(**{key: value for key, value in given.items() if key not in options})


def _told(given: Mapping[str, Any], options: Mapping[str, Option]) -> dict[str, Any]:
    """What was written for each option that was given."""
    return {key: option.once(given[key]) for key, option in options.items() if _was_told(given[key], option)}


def _shared(step: type[Step]) -> Iterator[inspect.Parameter]:
    """The options that all commands have; without verdicts there is nothing to fail on, and some audits need
    what no public data set has."""
    wanted = common.ABOUT_TABLES | common.ABOUT_OUTPUT
    useful = {"fail_on": "tolerance" in step.model_fields, "data": data_folder.offered(step)}
    return _as_parameters({key: one for key, one in wanted.items() if useful.get(key, True)})


def _as_parameters(wanted: Mapping[str, tuple[Any, Any]]) -> Iterator[inspect.Parameter]:
    for key, (kind, default) in wanted.items():
        yield inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=default)


def _was_told(given: Any, option: Option) -> bool:
    return given != option.field.default if option.switch else given not in (None, [], ())


def _asked_for(steps: Sequence[type[Step]], told: Mapping[str, Any], flags: Mapping[str, str]) -> type[Step]:
    """The step that is asked; keys of another one are refused, as nobody would look at them."""
    step = next((one for one in steps if one.asked_by in told), steps[0])
    foreign = [key for key in told if key not in step.model_fields]
    if not foreign:
        return step
    named = " and ".join(filter(None, [", ".join(flags[key] for key in foreign[:-1]), flags[foreign[-1]]]))
    other = next(one for one in steps if foreign[0] in one.model_fields)
    if other.asked_by:
        audit = other.model_fields["audit"].default
        raise InputError(f"{named}: that is for a {audit}; add {flags[other.asked_by]}, or leave it out.")
    raise InputError(f"{named} cannot stand beside {flags[str(step.asked_by)]}: leave one of them out.")


def _as_in_a_plan(
    told: Mapping[str, Any], options: Mapping[str, Option]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The step as a plan would write it, and the paths of its tables by their names."""
    content: dict[str, Any] = {}
    paths: dict[str, Any] = {}
    for key, given in told.items():
        option = options[key]
        if isinstance(option.data, Table):
            content[key] = option.data.called or key
            paths[content[key]] = given
        elif isinstance(option.data, Tables):
            named = written.paths(option.flag, given, option.data.example)
            content[key] = {each: f"{each} {option.data.called}" for each in named}
            paths |= {content[key][each]: path for each, path in named.items()}
        elif isinstance(option.data, TableColumn):
            path, column = written.path_and_column(option.flag, given)
            content[key], paths[key] = f"{key}:{column}", path
        else:
            content[key] = option.value(given)
    return content, paths


def _refuse_before(context: typer.Context) -> None:
    """Raise if options stand before the name of a command, where nobody would read them."""
    given = [context.get_parameter_source(name) for name in context.params]
    if any(source is not None and source.name == "COMMANDLINE" for source in given):
        raise typer.BadParameter(f"options of {context.invoked_subcommand} stand after its name, not before.")
