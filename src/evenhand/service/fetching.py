"""What is needed to check a live audit, from a running server: its certificate, and the events of its targets
in the form that `evenhand envy verify` reads.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from evenhand.envy.online.certificates.certificate_files import write_certificate
from evenhand.errors import InputError
from evenhand.service.simulating import Desk

_ENDING_S = 5.0


def fetch(url: str, token: str, audit: str, folder: Path, progress: Callable[[str], None]) -> Path:
    """Write the certificate of an audit that is over, and its log beside it; the certificate's path."""
    with Desk(url, token) as desk:
        document = _certificate(desk, audit)
        try:
            if document["seed"] is None:
                raise InputError(
                    "The audit is still running. Its certificate can be checked when it is over: its seed, "
                    "by which everything was drawn, is told then."
                )
            events: list[Any] = []
            for row in document["users"]:
                progress(f"{len(events):,} of {document['events']['count']:,} events")
                events += _logged(desk, audit, row["user"])
        except (LookupError, TypeError, ValueError) as error:
            raise InputError(f"The answer of the server cannot be read ({type(error).__name__}).") from None
    return write_certificate(document, events, folder)


def _certificate(desk: Desk, audit: str) -> dict[str, Any]:
    """The end of an audit that was decided just now is written within seconds, and its seed told."""
    ends = time.monotonic() + _ENDING_S
    while (found := desk.certificate(audit)).get("seed") is None and time.monotonic() < ends:
        time.sleep(_ENDING_S / 10)
    return found


def _logged(desk: Desk, audit: str, number: int) -> Iterator[list[Any]]:
    """Events of one target. Of who it is only the hash is kept, whatever the token may see: a certificate is
    handed over."""
    last = 0
    while page := desk.events(audit, number, last):
        for one in page:
            if one["seq"] != last + 1:
                raise ValueError("events are not in order")
            last += 1
            is_told = one["event"] is not None and one["kind"] != "person"
            yield [number, one["event"], one["salt"]] if is_told else [number, None, one["leaf"]]
