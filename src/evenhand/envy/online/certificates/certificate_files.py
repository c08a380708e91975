"""A certificate and its events as files: certificate.json, and beside it certificate.events.jsonl, an event
a line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from evenhand.envy.online.auditor import Auditor
from evenhand.envy.online.certificates.certify import certificate, verify
from evenhand.envy.online.system import SystemAudit
from evenhand.errors import ChangedError, InputError
from evenhand.files import content_of, write_together
from evenhand.parameters import shown, writable_folder

CERTIFICATE = "certificate.json"
# Of a log of events, which is read as a whole.
MOST_BYTES = 1 << 30


def events_beside(path: str | Path) -> Path:
    """Where the events of this certificate are: audit.json has audit.events.jsonl."""
    return Path(path).with_suffix(".events.jsonl")


def save_certificate(audit: Auditor | SystemAudit, events: Iterable[Any], folder: str | Path) -> Path:
    """Write the certificate of an audit, and the events that its listener heard; the certificate's path.

    Events of a system are pairs of user and event.
    """
    if not isinstance(events, Iterable):
        raise InputError(f"events is {shown(events)}, but must be the events of the audit.")
    return write_certificate(certificate(audit), events, writable_folder("folder", folder))


def write_certificate(document: Mapping[str, Any], events: Iterable[Any], folder: Path) -> Path:
    """The two files as `verify_files` reads them; the path of the certificate."""
    path = folder / CERTIFICATE
    lines = "".join(json.dumps(event, separators=(",", ":")) + "\n" for event in events)
    write_together(
        path.parent, {path.name: json.dumps(document, indent=2) + "\n", events_beside(path).name: lines}
    )
    return path


def verify_files(path: str | Path, events: str | Path | None = None) -> Auditor | SystemAudit:
    """The audit that the event log makes, if it is the one of the certificate; an InputError if not.

    `events` is the log; the default is the one that `save_certificate` wrote beside the certificate.
    """
    path = _path("the certificate", path)
    document = _json(_text(path, "certificate"), f"{path} is not a certificate")
    log = _path("events", events) if events is not None else events_beside(path)
    if events is None and not log.exists():
        raise InputError(
            f"There is no event log {log} beside the certificate; say where it is, with events (--events)."
        )
    return verify(document, _events(log))


def _path(name: str, value: Any) -> Path:
    if not isinstance(value, str | Path) or "\0" in str(value):
        raise InputError(f"{name} is {shown(value)}, but must be the path of a file.")
    return Path(value)


def _events(log: Path) -> Iterator[Any]:
    lines = _text(log, "event log").splitlines()
    if lines and not lines[-1].strip():  # an editor's, which is no event
        lines.pop()
    for number, line in enumerate(lines, start=1):
        yield _json(line, f"Line {number:,} of {log} is not an event")


def _text(path: Path, what: str) -> str:
    try:
        return content_of(path, MOST_BYTES).decode()
    except FileNotFoundError:
        raise InputError(f"There is no {what} {path}; check the path.") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not a {what}: that is JSON, in UTF-8.") from None
    except OSError as error:
        raise InputError(f"The {what} {path} cannot be read ({error.strerror}); check the path.") from None


def _json(text: str, problem: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{problem}: it is not JSON ({error}).") from None


def _once(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, each field of which is said once: another reader may take the other value."""
    found: dict[str, Any] = {}
    for name, value in fields:
        if name in found:
            raise ChangedError(f"The certificate has the field {shown(name)} twice.")
        found[name] = value
    return found
