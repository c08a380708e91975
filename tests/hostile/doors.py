"""One small world, and every audit of it by Python, by a plan and by a command: what it answers, or why not.

A case changes how the world is written. Then there are two good ends: the numbers of the plain world, to the
last digit, or one sentence that refuses it. Anything else is a fault.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import sys
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import evenhand as eh
from evenhand.cli.main import main
from evenhand.errors import EvenhandError

USERS, ITEMS, DAYS = 60, 24, 3
Tables = Mapping[str, Any]
Numbers = dict[str, tuple[Any, ...]]


@cache
def world() -> dict[str, pd.DataFrame]:
    """Logs of 60 users and 24 items, candidates, scores, preferences and vectors; sums of numbers are exact."""
    rng = np.random.default_rng(7)

    def log(rows: int, rates: tuple[float, float, float]) -> pd.DataFrame:
        item = rng.integers(0, ITEMS, rows)
        liked = rng.random(rows) < np.array(rates)[item % 3]
        return pd.DataFrame(
            {
                "user_id": rng.integers(0, USERS, rows),
                "item_id": item,
                "age": np.array(["mid", "old", "young"])[item % 3],
                "liked": liked.astype(np.int64),
                "day": pd.to_datetime("2024-04-01").date(),
            }
        ).assign(day=[f"2024-04-{1 + place % DAYS:02d}" for place in range(rows)])

    users, items = np.arange(USERS), np.arange(ITEMS)
    pairs = pd.MultiIndex.from_product([users, items], names=["user_id", "item_id"]).to_frame(index=False)
    some = pairs[rng.random(len(pairs)) < 0.5].reset_index(drop=True)
    gender = np.where(users % 2 == 0, "f", "m")
    shares = np.zeros((USERS, ITEMS))
    for user in users:
        shares[user, (user * 5 + np.arange(4) * 7) % ITEMS] = 0.25
    vectors = {f"v{i}": np.round(rng.normal(size=USERS) + (gender == "f") * (i == 0), 6) for i in range(4)}
    items_vectors = {f"v{i}": np.round(rng.normal(size=ITEMS), 6) for i in range(4)}
    return {
        "default": log(1500, (0.5, 0.2, 0.4)),
        "treatment": log(1500, (0.4, 0.3, 0.4)),
        "random": log(1200, (0.4, 0.4, 0.4)),
        "users": pd.DataFrame({"user_id": users, "gender": gender}),
        "items": pd.DataFrame({"item_id": items, "genre": np.array(["drama", "jazz"])[items % 2]}),
        "candidates": some.assign(
            score=rng.integers(0, 1000, len(some)) / 8, label=(rng.random(len(some)) < 0.3).astype(np.int64)
        ),
        "scores": some.assign(score=rng.integers(0, 64, len(some)) / 8),
        "relevance": pairs[rng.random(len(pairs)) < 0.3].reset_index(drop=True).assign(relevance=1),
        "preferences": pairs.assign(preference=rng.integers(0, 9, len(pairs)) / 8),
        "policies": pairs.assign(probability=shares.ravel())[shares.ravel() > 0].reset_index(drop=True),
        "user_vectors": pd.DataFrame({"user_id": users, **vectors}),
        "item_vectors": pd.DataFrame({"item_id": items, **items_vectors}),
    }


@dataclass(frozen=True)
class Audit:
    """What is asked; `step` is what a plan says of it, and `words` what a command does."""

    python: Callable[[Tables], eh.AuditResult]
    tables: tuple[str, ...]
    step: Mapping[str, Any]
    words: tuple[str, ...]
    options: Mapping[str, str] = field(default_factory=dict)  # of the tables, on the command line


ASKED = {"label": "liked", "group": "age", "cluster": "user_id"}
ASKED_WORDS = ("--label", "liked", "--group", "age", "--cluster", "user_id")
AUDITS: dict[str, Audit] = {
    "opportunity": Audit(
        lambda t: eh.opportunity.audit(t["default"], t["random"], **ASKED),
        ("default", "random"),
        {"audit": "opportunity", "default": "default", "random": "random", **ASKED},
        ("opportunity", *ASKED_WORDS),
    ),
    "series": Audit(
        lambda t: eh.opportunity.series(t["default"], t["random"], day="day", **ASKED),
        ("default", "random"),
        {"audit": "series", "default": "default", "random": "random", "day": "day", **ASKED},
        ("opportunity", "--day", "day", *ASKED_WORDS),
    ),
    "compare": Audit(
        lambda t: eh.opportunity.compare(
            {"a": t["default"], "b": t["treatment"]}, t["random"], split="any", **ASKED
        ),
        ("default", "treatment", "random"),
        {
            "audit": "compare", "arms": {"a": "default", "b": "treatment"}, "random": "random",
            "split": "any", **ASKED,
        },
        ("compare", "--split", "any", *ASKED_WORDS),
        {"default": "--arm a=", "treatment": "--arm b="},
    ),
    "groups": Audit(
        lambda t: eh.groups.audit(t["candidates"], t["users"], attributes=["gender"], permutations=50),
        ("candidates", "users"),
        {
            "audit": "groups", "candidates": "candidates", "users": "users", "attributes": ["gender"],
            "permutations": 50,
        },
        ("groups", "--attribute", "gender", "--permutations", "50"),
    ),
    "exposure": Audit(
        lambda t: eh.exposure.audit(
            t["scores"], t["relevance"], t["users"], t["items"], beta=[1.0, "static"], user_group="gender",
            item_group="genre",
        ),
        ("scores", "relevance", "users", "items"),
        {
            "audit": "exposure", "scores": "scores", "relevance": "relevance", "users": "users",
            "items": "items", "user_group": "gender", "item_group": "genre", "beta": [1.0, "static"],
        },
        ("exposure", "--user-group", "gender", "--item-group", "genre", "--beta", "1", "--beta", "static"),
    ),
    "envy": Audit(
        lambda t: eh.envy.audit(t["preferences"], t["policies"], groups=t["users"], group="gender"),
        ("preferences", "policies", "users"),
        {
            "audit": "envy", "preferences": "preferences", "policies": "policies", "users": "users",
            "group": "gender",
        },
        ("envy", "offline", "--group", "gender"),
    ),
    "association": Audit(
        lambda t: eh.association.audit(
            t["item_vectors"], t["user_vectors"], (t["users"], "gender"), (t["items"], "genre"),
            method="centroid", permutations=50,
        ),
        ("item_vectors", "user_vectors", "users", "items"),
        {
            "audit": "association", "items": "item_vectors", "users": "user_vectors",
            "attribute": "users:gender", "groups": "items:genre", "method": "centroid", "permutations": 50,
        },
        ("association", "--method", "centroid", "--permutations", "50"),
        {
            "item_vectors": "--items ", "user_vectors": "--users ", "users": "--attribute ",
            "items": "--groups ",
        },
    ),
}  # fmt: skip
_COLUMNS = {"users": "gender", "items": "genre"}
DOORS = ("python", "plan", "command")


@dataclass(frozen=True)
class Outcome:
    """How it ended: with numbers, or with a sentence."""

    numbers: Numbers | None = None
    sentence: str = ""


def numbers_of(result: eh.AuditResult | str) -> Numbers:
    """Every number of every finding, under what it is about."""
    found: Numbers = {}
    for finding in json.loads(result if isinstance(result, str) else result.to_json())["findings"]:
        interval = finding["interval"] or {}
        about = finding["id"]
        found[about] = (
            finding["estimate"], interval.get("low"), interval.get("high"), finding["n"], finding["verdict"],
            finding["p_value"],
        )  # fmt: skip
    return found


@cache
def reference(audit: str) -> Numbers:
    """The numbers of the plain world."""
    return numbers_of(AUDITS[audit].python(world()))


def ask(audit: str, door: str, tables: Tables, folder: Path) -> Outcome:
    """Ask `audit` of these tables, which are paths for a plan and a command; anything but a good end raises."""
    if door == "python":
        with quietly():
            return sentence_or(lambda: numbers_of(AUDITS[audit].python(tables)))
    if door == "plan":
        plan = folder / "plan.toml"
        plan.write_text(plan_text(audit, tables), encoding="utf-8")
        return command("audit", plan, "--json", "--min-cell", "0")
    return command(*words_of(audit, tables), "--json", "--min-cell", "0")


def sentence_or(work: Callable[[], Numbers]) -> Outcome:
    try:
        return Outcome(work())
    except EvenhandError as error:
        return Outcome(sentence=one_sentence(str(error)))


def plan_text(audit: str, tables: Tables) -> str:
    """The plan as TOML, of which JSON's text and lists are a part."""
    step = dict(AUDITS[audit].step)
    if audit == "association":
        step |= {"items": str(tables["item_vectors"]), "users": str(tables["user_vectors"])}
        tables = {name: tables[name] for name in _COLUMNS}
    inputs = "".join(f"[inputs.{name}]\npath = {_toml(str(path))}\n" for name, path in tables.items())
    return inputs + "[[audits]]\n" + "".join(f"{key} = {_toml(value)}\n" for key, value in step.items())


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(one)}" for key, one in value.items()) + " }"
    return json.dumps(value)


def words_of(audit: str, tables: Tables) -> list[str]:
    asked = AUDITS[audit]
    words = list(asked.words)
    for name, path in tables.items():
        option, _, start = asked.options.get(name, f"--{name} ").partition(" ")
        end = f":{_COLUMNS[name]}" if audit == "association" and name in _COLUMNS else ""
        words += [option, f"{start}{path}{end}"]
    return words


def command(*words: object) -> Outcome:
    """`evenhand ...` in this process, through `main` as the console script does."""
    out, err, before = io.StringIO(), io.StringIO(), sys.argv
    sys.argv = ["evenhand", *map(str, words)]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main()
    except SystemExit as left:
        code = left.code
    finally:
        sys.argv = before
    said = err.getvalue()
    if code == 0:
        return Outcome(numbers_of(out.getvalue()))
    if code != 2 or out.getvalue():
        raise AssertionError(f"exit {code}: {said}")
    # The mistakes of a plan are a sentence each, on lines of their own.
    sentences = said.removeprefix("Error: ").removesuffix("\n").split("\n  line ")
    return Outcome(sentence=" ".join(map(one_sentence, sentences)))


def one_sentence(said: str) -> str:
    """`said`, if it is for a person: one line that can be printed, that ends, and that is no inside of ours."""
    said.encode()
    inside = re.search(r"Traceback|Error\b.*object at 0x|<class |__\w+__\(|evenhand\.\w+\.\w+", said)
    odd = [char for char in said if unicodedata.category(char) == "Cc"]
    if not said or odd or not said.rstrip("`'\")").endswith((".", "?", ":")) or inside or len(said) > 2000:
        raise AssertionError(f"no sentence for a person: {said[:3000]!r}")
    return said


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """Without what libraries print of themselves."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield


def differences(found: Numbers, wanted: Numbers, exactly: bool, named: bool = True) -> list[str]:
    """Where two sets of numbers differ.

    Not `exactly`: intervals over clusters may, as an engine puts ids that are no integers into other buckets,
    and the last digits of a sum. Not `named`: only what things are called may differ.
    """
    if not named:
        return (
            []
            if sorted(map(str, found.values())) == sorted(map(str, wanted.values()))
            else ["numbers differ"]
        )
    if found.keys() != wanted.keys():
        return [f"findings differ: {sorted(found.keys() ^ wanted.keys())[:4]}"]
    if exactly:
        differ = [about for about in wanted if found[about] != wanted[about]]
    else:
        differ = [
            about for about in wanted if ".equality/" not in about and not _close(found[about], wanted[about])
        ]
    return [f"{about}: {found[about]} and not {wanted[about]}" for about in differ[:3]]


def _close(found: tuple[Any, ...], wanted: tuple[Any, ...]) -> bool:
    if len(found) != 6 or len(wanted) != 6:
        return np.shape(found) == np.shape(wanted) and np.allclose(found, wanted, rtol=1e-4)
    estimates = found[0], wanted[0]
    if found[3] != wanted[3] or None in estimates:
        return found[3] == wanted[3] and estimates[0] == estimates[1]
    return bool(np.isclose(*estimates, rtol=1e-9, atol=1e-12))


def peak_memory() -> float:
    """Gigabytes that this process held at most, since it began or the peak was last forgotten."""
    return _told("VmHWM")


def forget_peak() -> float:
    """Begin a new peak, whatever ran in this process before; gigabytes that are held now."""
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")
    return _told("VmRSS")


def _told(key: str) -> float:
    found = re.search(rf"{key}:\s+(\d+) kB", Path("/proc/self/status").read_text(encoding="utf-8"))
    assert found
    return int(found[1]) / 1e6
