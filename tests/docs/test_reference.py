"""What exists has its entry in the reference: every command and option, plan key, measure and exit code."""

import re
from importlib import import_module
from types import FunctionType
from typing import Any

import pytest
from typer.main import get_command

from evenhand.asked.audits import AUDITS
from evenhand.cli.exit_codes import Exit
from evenhand.cli.main import app
from evenhand.plan.schema import plan_schema
from evenhand.report.vocabulary.names import words
from from_code import http_api
from site_pages import DOCS, prose

REFERENCE = DOCS / "reference"


def commands(command: Any, said: str) -> dict[str, Any]:
    """Every command below this one, by what is typed."""
    found = {said: command}
    for name in command.list_commands(None) if hasattr(command, "list_commands") else ():
        found |= commands(command.get_command(None, name), f"{said} {name}")
    return found


ALL = {said: one for said, one in commands(get_command(app), "evenhand").items() if said != "evenhand"}


def entry(page: str, heading: str) -> str:
    """What stands under a heading of this text, up to the next one."""
    _, found, rest = prose(REFERENCE / page).partition(f"# {heading}\n")
    assert found, f"{page} has no heading {heading!r}"
    return re.split(r"^#{1,6} ", rest, maxsplit=1, flags=re.MULTILINE)[0]


@pytest.mark.parametrize("said", ALL)
def test_every_command_and_each_of_its_options_has_an_entry(said):
    told = entry(f"commands/{said.split()[1]}.md", f"`{said}`")
    for one in ALL[said].params:
        if one.param_type_name == "option" and one.name != "help" and not one.hidden:
            missing = [flag for flag in one.opts if not re.search(rf"(?<![\w-]){flag}(?![\w-])", told)]
            assert not missing, f"{said}: {missing}"


def keys(table: str) -> set[str]:
    return set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE))


@pytest.mark.parametrize("audit", AUDITS)
def test_every_key_of_every_audit_has_an_entry(audit):
    schema = plan_schema()
    steps = [
        schema["$defs"][one["$ref"].split("/")[-1]]
        for one in schema["properties"]["audits"]["items"]["oneOf"]
    ]
    (step,) = [step for step in steps if step["properties"]["audit"].get("const") == audit]
    asked = set(step["properties"]) - {"audit"}
    assert keys(prose(REFERENCE / "plan-keys" / f"{audit.replace('_', '-')}.md")) == asked
    assert f"({audit.replace('_', '-')}.md)" in prose(REFERENCE / "plan-keys" / "index.md")


def test_every_other_key_of_a_plan_has_an_entry_and_says_what_it_is():
    schema = plan_schema()
    listed = keys(prose(REFERENCE / "plan-keys" / "index.md"))
    steps = {declared.load().__name__ for declared in AUDITS.values()}
    for name, part in {"": schema, **schema["$defs"]}.items():
        if name not in steps:
            assert set(part["properties"]) <= listed, name
            bare = [key for key, said in part["properties"].items() if not said.get("description")]
            assert not bare, f"{name}: {bare} have no description"


def test_every_measure_has_an_entry_with_its_definition_and_its_calibration():
    pages = {page.name: prose(page) for page in (REFERENCE / "measures").glob("*.md")}
    told = {}
    for text in pages.values():
        for part in re.split(r"^\(measure-", text, flags=re.MULTILINE)[1:]:
            named = re.search(r"^- in findings: `(\w+)`$", part, re.MULTILINE)
            assert named, part
            assert named[1] not in told
            told[named[1]] = part
    assert set(told) == set(words().measures)
    for name, measure in words().measures.items():
        assert f"## {measure.title}\n" in told[name]
        assert len(measure.definition.split()) > 5, name
        assert re.search(r"^- unit: .", told[name], re.MULTILINE), name
        assert re.search(r"^- formula: \[.+\]\(\.\./\.\./explain/", told[name], re.MULTILINE), name
        assert re.search(r"^- calibration: .", told[name], re.MULTILINE), name
        assert f"[`{name}`]" in pages["index.md"]


def test_every_exit_code_has_an_entry():
    told = re.findall(r"^\| `(\d+)` \| (.+) \|$", prose(REFERENCE / "exit-codes.md"), re.MULTILINE)
    assert [int(code) for code, _ in told] == [int(code) for code in Exit]
    assert all(len(said) > 20 for _, said in told)


def test_every_part_of_the_http_api_has_an_entry():
    told = prose(REFERENCE / "http-api.md")
    found = [(path, method) for path, method, _ in http_api.operations()]
    assert len(found) > 20
    for path, method in found:
        assert f"### `{method.upper()} {path}`\n" in told
    for name in http_api.described()["components"]["schemas"]:
        assert f"### {name}\n" in told


DECLARED = [declared.load() for declared in AUDITS.values()]
# Functions that a declaration names for the runner of plans.
FOR_PLANS = {name for step in DECLARED for name in (step.checks, step.in_parts, step.follows)}
ROOMS = [page.stem for page in (REFERENCE / "python").glob("*.md") if page.stem != "index"]


@pytest.mark.parametrize("room", ROOMS)
def test_every_public_name_of_a_room_has_an_entry(room):
    told = set(re.findall(rf"^## {room}\.(\w+)$", prose(REFERENCE / "python" / f"{room}.md"), re.MULTILINE))
    door = import_module(f"evenhand.{room}")
    assert told <= set(door.__all__)
    for name in set(door.__all__) - told:
        one = getattr(door, name)
        assert f"evenhand.{room}:{name}" in FOR_PLANS or not isinstance(one, type | FunctionType), name


def test_every_room_that_evenhand_names_has_a_page():
    import evenhand

    assert {*evenhand._rooms, "monitor", "service"} == set(ROOMS)
