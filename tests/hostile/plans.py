"""Plans as people and programs write them, and what is kept in files: findings, models, certificates."""

from __future__ import annotations

import copy
import json
import os
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import evenhand as eh
from evenhand.recommenders import Factors, Interactions
from evenhand.recommenders.stored.storage import save
from hostile.cases import Case, End, plain
from hostile.doors import AUDITS, Outcome, command, numbers_of, plan_text, quietly, sentence_or, world


def cases() -> Iterator[Case]:
    for audit in ("opportunity", "envy"):
        for name, (end, change) in CHANGES.items():
            yield Case("plans", name, audit, end, _running(audit, change))
    for name, change in FINDINGS.items():
        yield Case("findings read back", name, "opportunity", "either", _reading(change))
    for name, change in MODELS.items():
        yield Case("models", name, "envy", "refused" if name != "nothing" else "any", _loading(change))
    for name, change in CERTIFICATES.items():
        yield Case("certificates", name, "envy", "refused", _verifying(change))


# Plans

Change = Callable[[str, Path], str | bytes | Path]
INPUTS, AUDIT = "[inputs", "[[audits]]"


def _running(audit: str, change: Change) -> Callable[[Path], Outcome]:
    def run(folder: Path) -> Outcome:
        tables = {name: plain(world()[name], folder / name).name for name in AUDITS[audit].tables}
        made = change(plan_text(audit, tables), folder)
        plan = made if isinstance(made, Path) else folder / "plan.toml"
        if not isinstance(made, Path):
            plan.write_bytes(made.encode() if isinstance(made, str) else made)
        return command("audit", plan, "--json", "--min-cell", "0")

    return run


def _top(line: str) -> Change:
    return lambda text, folder: f"{line}\n{text}"


def _end(line: str) -> Change:
    return lambda text, folder: f"{text}{line}\n"


def _paths(change: Callable[[str, Path], str]) -> Change:
    def changed(text: str, folder: Path) -> str:
        lines = []
        for line in text.splitlines():
            if line.startswith("path = "):
                line = f"path = {json.dumps(change(json.loads(line.removeprefix('path = ')), folder))}"
            lines.append(line)
        return "\n".join(lines) + "\n"

    return changed


def _audits_first(text: str, folder: Path) -> str:
    inputs, step = text.split(AUDIT)
    return AUDIT + step + inputs


def _inline(text: str, folder: Path) -> str:
    """The inputs in one line, with dots in their keys."""
    names = [line.removeprefix("[inputs.").removesuffix("]") for line in text.splitlines() if INPUTS in line]
    dotted = "".join(f'inputs.{name}.path = "{name}.parquet"\n' for name in names)
    return dotted + AUDIT + text.split(AUDIT)[1]


def _elsewhere(text: str, folder: Path) -> Path:
    (folder / "deep" / "er").mkdir(parents=True)
    path = folder / "deep" / "er" / "plan.toml"
    path.write_text(str(_paths(lambda name, _: f"../../{name}")(text, folder)), encoding="utf-8")
    return path


def _linked(text: str, folder: Path) -> Path:
    (folder / "real.toml").write_text(text, encoding="utf-8")
    (folder / "plan.toml").symlink_to(folder / "real.toml")
    return folder / "plan.toml"


def _large(text: str, folder: Path) -> Path:
    with (folder / "plan.toml").open("wb") as file:
        file.truncate(5 << 30)  # which takes no room on the disk
    return folder / "plan.toml"


CHANGES: dict[str, tuple[End, Change]] = {
    "a byte order mark": ("same", lambda text, folder: "\ufeff" + text),
    "line ends of Windows": ("same", lambda text, folder: text.replace("\n", "\r\n")),
    "comments": ("same", lambda text, folder: text.replace("\n", " # é 漢字\n")),
    "audits before inputs": ("same", _audits_first),
    "dots in keys": ("same", _inline),
    "literal text": ("same", lambda text, folder: text.replace('"', "'")),
    "a seed in hexadecimals": ("same", _top("seed = 0x0")),
    "a seed of 0": ("same", _top("seed = +0")),
    "the largest seed": ("any", _top(f"seed = {2**63 - 1}")),
    "a seed too large": ("refused", _top(f"seed = {2**63}")),
    "a seed below 0": ("refused", _top("seed = -1")),
    "a seed with a fraction": ("refused", _top("seed = 0.0")),
    "a seed that is infinite": ("refused", _top("seed = inf")),
    "a seed that is no number": ("refused", _top("seed = nan")),
    "a seed that is a date": ("refused", _top("seed = 1979-05-27")),
    "a seed that is a time": ("refused", _top("seed = 07:32:00")),
    "a seed that is true": ("refused", _top("seed = true")),
    "a seed in text": ("refused", _top('seed = "0"')),
    "a seed that is a list": ("refused", _top("seed = [0]")),
    "a seed twice": ("refused", _top("seed = 0\nseed = 0")),
    "a title that is a date": ("refused", _top("scope = { title = 1979-05-27 }")),
    "a title of a million letters": ("same", _top(f'scope = {{ title = "{"x" * 1_000_000}" }}')),
    "a title of controls": ("same", _top('scope = { title = "\\u001b[31m\\u0007\\u202e" }')),
    "a title of HTML": ("same", _top('scope = { title = "</title><script>alert(1)</script>" }')),
    "an empty title": ("same", _top('scope = { title = "" }')),
    "an engine that is none": ("refused", _top('engine = "postgres"')),
    "an engine that is a path": ("refused", _top('engine = "../../bin/sh"')),
    "an unknown key": ("refused", _top("colour = 1")),
    "an unknown key of an audit": ("refused", _end("colour = 1")),
    "a key of ours that is hidden": ("refused", _end("__class__ = 1")),
    "an empty key": ("refused", _top('"" = 1')),
    "a key of a quote": ("refused", _top("\"'\\u0000\" = 1")),
    "a level of nan": ("refused", _end("level = nan")),
    "a level of infinity": ("refused", _end("level = -inf")),
    "a level of 1": ("refused", _end("level = 1")),
    "a tolerance of nan": ("refused", _end("tolerance = nan")),
    "a tolerance of infinity": ("refused", _end("tolerance = inf")),
    "a tolerance in text": ("refused", _end('tolerance = "0.1"')),
    "a tolerance below 0": ("refused", _end("tolerance = -1e-300")),
    "a tolerance of minus zero": ("any", _end("tolerance = -0.0")),
    "a tolerance in many digits": ("any", _end("tolerance = 0." + "1" * 500)),
    "an audit that is none": ("refused", lambda text, folder: text.replace('audit = "', 'audit = "no')),
    "an audit that is a list": ("refused", lambda text, folder: text.replace('audit = "', 'audit = ["a"]\nx = "')),
    "one bracket": ("refused", lambda text, folder: text.replace("[[audits]]", "[audits]")),
    "three brackets": ("refused", lambda text, folder: text.replace("[[audits]]", "[[[audits]]]")),
    "no audits": ("refused", lambda text, folder: text.split(AUDIT)[0]),
    "no inputs": ("refused", lambda text, folder: AUDIT + text.split(AUDIT)[1]),
    "the same audit twice": ("refused", lambda text, folder: text + AUDIT + text.split(AUDIT)[1]),
    "an input twice": ("refused", lambda text, folder: text.replace(INPUTS, "[inputs.users]\n[inputs", 1) + "\n[inputs.users]\n"),
    "a path that is a number": ("refused", lambda text, folder: text.replace('path = "', 'path = 7 # "', 1)),
    "a path that is an empty list": ("refused", lambda text, folder: text.replace('path = "', 'path = [] # "', 1)),
    "a path in a list": ("same", lambda text, folder: text.replace('.parquet"\n', '.parquet"]\n').replace('path = "', 'path = ["')),
    "absolute paths": ("same", _paths(lambda name, folder: str(folder / name))),
    "paths with dots": ("same", _paths(lambda name, folder: f"./../{folder.name}/./{name}")),
    "paths with two slashes": ("same", _paths(lambda name, folder: f".//{name}")),
    "a variable of the environment": ("refused", _paths(lambda name, folder: f"$HOME/{name}")),
    "a variable in braces": ("refused", _paths(lambda name, folder: f"${{HOME}}/{name}")),
    "a command in a path": ("refused", _paths(lambda name, folder: f"$(touch hacked)/{name}")),
    "a path with a zero": ("refused", lambda text, folder: text.replace('path = "', 'path = "\\u0000', 1)),
    "a path of half a character": ("refused", lambda text, folder: text.replace('path = "', 'path = "\\ud800', 1)),
    "a path to the plan itself": ("refused", _paths(lambda name, folder: "plan.toml")),
    "another folder": ("same", _elsewhere),
    "a link": ("same", _linked),
    "UTF-16": ("refused", lambda text, folder: text.encode("utf-16")),
    "Latin-1": ("refused", lambda text, folder: (text + "# é").encode("latin-1")),
    "a zero in it": ("refused", lambda text, folder: text + "\0"),
    "JSON": ("refused", lambda text, folder: json.dumps({"audits": []})),
    "YAML": ("refused", lambda text, folder: "audits:\n  - audit: opportunity\n"),
    "nothing": ("refused", lambda text, folder: ""),
    "half of it": ("refused", lambda text, folder: text[: len(text) // 2]),
    "a folder": ("refused", lambda text, folder: folder),
    "the null device": ("refused", lambda text, folder: Path("/dev/null")),
    "a device without end": ("refused", lambda text, folder: Path("/dev/zero")),
    "five gigabytes": ("refused", _large),
    "a name that is too long": ("refused", lambda text, folder: folder / ("x" * 300 + ".toml")),
    "a home that is none": ("refused", lambda text, folder: Path("~nosuchuser/plan.toml")),
    "a zone that is none": ("refused", lambda text, folder: text.replace('.parquet"\n', '.parquet"\ntimezone = "Mars/Base"\n', 1)),
    "columns of columns": ("refused", lambda text, folder: text.replace('.parquet"\n', '.parquet"\ncolumns = { user_id = 7 }\n', 1)),
    "columns that are not there": ("refused", lambda text, folder: text.replace('.parquet"\n', '.parquet"\ncolumns = { user_id = "nobody" }\n', 1)),
    "columns in a circle": ("any", lambda text, folder: text.replace('.parquet"\n', '.parquet"\ncolumns = { user_id = "item_id", item_id = "user_id" }\n', 1)),
}  # fmt: skip


# Findings


@cache
def _document() -> str:
    return AUDITS["opportunity"].python(world()).to_json()


def _reading(change: Callable[[Any], Any]) -> Callable[[Path], Outcome]:
    def run(folder: Path) -> Outcome:
        changed = change(json.loads(_document()))
        content = changed if isinstance(changed, str | bytes) else json.dumps(changed)
        path = folder / "findings.json"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())

        def read() -> Any:
            result = eh.AuditResult.load(folder)
            result.save(folder / "again")
            str(result)
            result.to_frame()
            return numbers_of(result)

        with quietly():
            return sentence_or(read)

    return run


def _finding(**changes: Any) -> Callable[[Any], Any]:
    """Another value in the first finding; what the numbers are is not touched, or it is refused."""
    return lambda document: _set(document, ["findings", 0], changes)


def _set(document: Any, place: list[Any], changes: dict[str, Any]) -> Any:
    document = copy.deepcopy(document)
    inner = document
    for step in place:
        inner = inner[step]
    inner.update(changes)
    return document


FINDINGS: dict[str, Callable[[Any], Any]] = {
    "nothing": lambda document: "",
    "half of it": lambda document: json.dumps(document)[:900],
    "a list": lambda document: [document],
    "another schema": lambda document: document | {"schema": "evenhand.findings/99"},
    "no schema": lambda document: {key: document[key] for key in document if key != "schema"},
    "no findings": lambda document: document | {"findings": None},
    "an unknown key": lambda document: document | {"more": 1},
    "a verdict that is not earned": _finding(verdict="within_tolerance"),
    "a verdict that is none": _finding(verdict="fine"),
    "a verdict that is a number": _finding(verdict=1),
    "a verdict that is a list": _finding(verdict=["violation"]),
    "an estimate of text": _finding(estimate="0.5x"),
    "an interval upside down": lambda document: _set(document, ["findings", 0, "interval"], {"low": 9, "high": 1}),
    "a level of 2": lambda document: _set(document, ["findings", 0, "interval"], {"level": 2}),
    "a p-value of 2": _finding(p_value=2),
    "people below 0": _finding(n=-3),
    "a half person": _finding(n=2.5),
    "a harm that is none": _finding(harm="sideways"),
    "a subject of lists": _finding(subject={"by": [1]}),
    "NaN": lambda document: json.dumps(document).replace('"estimate": 0.', '"estimate": NaN, "x": 0.', 1),
    "infinity": lambda document: json.dumps(document).replace('"estimate": 0.', '"estimate": Infinity, "x": 0.', 1),
    "a number of 5,000 digits": lambda document: json.dumps(document).replace('"estimate": 0.', f'"estimate": {"9" * 5000}, "x": 0.', 1),
    "a key twice": lambda document: json.dumps(document).replace('"estimate": ', '"estimate": "x", "estimate": ', 1),
    "UTF-16": lambda document: json.dumps(document).encode("utf-16"),
    "a byte order mark": lambda document: "\ufeff" + json.dumps(document),
    "half a character": lambda document: json.dumps(document).replace('"opportunity"', '"\\ud800"', 1),
    "nested deeply": lambda document: "[" * 100_000,
    "a version that is a number": lambda document: document | {"version": 1},
    "a seed of text": lambda document: document | {"seed": "x"},
    "a scope of numbers": lambda document: document | {"scope": {"title": 1}},
    "an input without a mark": lambda document: document | {"inputs": {"x": {}}},
    "a zero byte": lambda document: json.dumps(document) + "\0",
}  # fmt: skip


# Models


def _model(folder: Path) -> Path:
    rng = np.random.default_rng(1)
    users, items = np.arange(30), np.arange(20)
    model = Factors(users, items, rng.normal(size=(30, 4)), rng.normal(size=(20, 4)), np.zeros(20))
    pairs = np.stack([rng.integers(0, 30, 90), rng.integers(0, 20, 90)])
    pairs = np.unique(pairs, axis=1)
    unknown = np.full(pairs.shape[1], np.nan)
    history = Interactions(users, items, pairs[0], pairs[1], unknown, unknown)
    save(folder, model, name="factors", history=history, description={})
    return folder


def _loading(change: Callable[[Path], Any]) -> Callable[[Path], Outcome]:
    def run(folder: Path) -> Outcome:
        model = _model(folder / "model")
        change(model)
        return command(
            "envy", "offline", "--model", model, "--inverse-temperature", "1", "--epsilon", "0.01", "--json",
            "--min-cell", "0",
        )  # fmt: skip

    return run


def _bytes(name: str, change: Callable[[bytes], bytes]) -> Callable[[Path], Any]:
    def changed(model: Path) -> None:
        (model / name).write_bytes(change((model / name).read_bytes()))

    return changed


def _arrays(change: Callable[[dict[str, Any]], dict[str, Any]]) -> Callable[[Path], Any]:
    def changed(model: Path) -> None:
        with np.load(model / "arrays.npz") as held:
            arrays = change(dict(held))
        np.savez(model / "arrays.npz", **arrays)

    return changed


def _flipped(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 255]) + content[middle + 1 :]


def _described(**changes: Any) -> Callable[[Path], Any]:
    return _bytes("model.json", lambda content: json.dumps(json.loads(content) | changes).encode())


MODELS: dict[str, Callable[[Path], Any]] = {
    "nothing": lambda model: None,
    "arrays that are cut off": _bytes("arrays.npz", lambda content: content[:-30]),
    "half of the arrays": _bytes("arrays.npz", lambda content: content[: len(content) // 2]),
    "no bytes of arrays": _bytes("arrays.npz", lambda content: b""),
    "a byte that is another": _bytes("arrays.npz", _flipped),
    "arrays that are text": _bytes("arrays.npz", lambda content: b"arrays"),
    "arrays that are gone": lambda model: (model / "arrays.npz").unlink(),
    "a folder for arrays": lambda model: ((model / "arrays.npz").unlink(), (model / "arrays.npz").mkdir()),
    "another user": _arrays(lambda arrays: arrays | {"user_ids": arrays["user_ids"] + 1}),
    "a user less": _arrays(lambda arrays: arrays | {"user_ids": arrays["user_ids"][1:]}),
    "a user twice": _arrays(lambda arrays: arrays | {"user_ids": np.zeros_like(arrays["user_ids"])}),
    "a history beyond the items": _arrays(lambda arrays: arrays | {"history_item": arrays["history_item"] + 99}),
    "a history below 0": _arrays(lambda arrays: arrays | {"history_user": arrays["history_user"] - 99}),
    "a history of floats": _arrays(lambda arrays: arrays | {"history_user": arrays["history_user"] / 2}),
    "no ids": _arrays(lambda arrays: {key: arrays[key] for key in arrays if key != "item_ids"}),
    "objects": _arrays(lambda arrays: arrays | {"user_ids": np.array([{}] * 30, dtype=object)}),
    "all numbers other ones": _arrays(
        lambda arrays: {key: value if value.dtype.kind in "iuU" else value + 1 for key, value in arrays.items()}
    ),
    "not a number": _arrays(
        lambda arrays: {key: value if value.dtype.kind in "iuU" else value * np.nan for key, value in arrays.items()}
    ),
    "a description that is cut off": _bytes("model.json", lambda content: content[:50]),
    "a description of nothing": _bytes("model.json", lambda content: b""),
    "a description that is a list": _bytes("model.json", lambda content: b"[]"),
    "a description in UTF-16": _bytes("model.json", lambda content: content.decode().encode("utf-16")),
    "another schema": _described(schema="evenhand.model/99"),
    "another kind": _described(kind="Pickle"),
    "a kind that is a list": _described(kind=["Factors"]),
    "more users": _described(users=31),
    "users of text": _described(users="30"),
    "users below 0": _described(users=-30),
    "another digest": _described(arrays="0" * 64),
    "a digest that is a number": _described(arrays=7),
    "a pipe": lambda model: ((model / "model.json").unlink(), os.mkfifo(model / "model.json")),
    "a link in a circle": lambda model: ((model / "model.json").unlink(), (model / "model.json").symlink_to("model.json")),
}  # fmt: skip


# Certificates


@cache
def _certificate(kept: Path) -> Path:
    with quietly():
        command_of = ("envy", "simulate", "--means", ".9,.1,.1", "--alpha", ".2", "--certificate", kept)
        _quiet(*command_of)
    return kept


def _quiet(*words: Any) -> None:
    import contextlib
    import io
    import sys

    from evenhand.cli.main import main

    before, sys.argv = sys.argv, ["evenhand", *map(str, words)]
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
            main()
    finally:
        sys.argv = before


def _verifying(change: Callable[[Path], Any]) -> Callable[[Path], Outcome]:
    def run(folder: Path) -> Outcome:
        from tempfile import gettempdir

        kept = _certificate(Path(gettempdir()) / f"evenhand-hostile-{os.getpid()}")
        shutil.copytree(kept, folder / "kept")
        change(folder / "kept")
        with quietly():
            return sentence_or(lambda: _verified(folder / "kept" / "certificate.json"))

    return run


def _verified(path: Path) -> Any:
    from evenhand.envy.online.certificates.certificate_files import verify_files

    verify_files(path)
    return {}


def _of_certificate(change: Callable[[dict[str, Any]], Any]) -> Callable[[Path], Any]:
    def changed(kept: Path) -> None:
        document = json.loads((kept / "certificate.json").read_text(encoding="utf-8"))
        (kept / "certificate.json").write_text(json.dumps(change(document)), encoding="utf-8")

    return changed


def _of_events(change: Callable[[list[str]], list[str]]) -> Callable[[Path], Any]:
    def changed(kept: Path) -> None:
        path = kept / "certificate.events.jsonl"
        path.write_text(
            "".join(change(path.read_text(encoding="utf-8").splitlines(keepends=True))), encoding="utf-8"
        )

    return changed


CERTIFICATES: dict[str, Callable[[Path], Any]] = {
    "a list": _of_certificate(lambda document: [document]),
    "nothing": _of_certificate(lambda document: {}),
    "a number": _of_certificate(lambda document: 7),
    "without its outcome": _of_certificate(lambda d: {key: d[key] for key in d if key != "outcome"}),
    "another outcome": _of_certificate(lambda d: d | {"outcome": "fine"}),
    "an outcome that is a list": _of_certificate(lambda d: d | {"outcome": []}),
    "settings that are a list": _of_certificate(lambda d: d | {"settings": []}),
    "a schema that is a list": _of_certificate(lambda d: d | {"schema": []}),
    "an event less": _of_events(lambda lines: lines[:-1]),
    "the first event less": _of_events(lambda lines: lines[1:]),
    "an event twice": _of_events(lambda lines: [*lines, lines[-1]]),
    "events in another order": _of_events(lambda lines: lines[::-1]),
    "no events": _of_events(lambda lines: []),
    "an event of nothing": _of_events(lambda lines: ["{}\n", *lines]),
    "an event that is a list": _of_events(lambda lines: ["[1]\n", *lines]),
    "an event that is a number": _of_events(lambda lines: ["NaN\n", *lines]),
    "half an event": _of_events(lambda lines: [*lines[:-1], lines[-1][:5]]),
    "an empty line": _of_events(lambda lines: [lines[0], "\n", *lines[1:]]),
}
