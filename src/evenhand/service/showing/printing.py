"""The process that prints pages and pictures: a line of JSON in, a line of JSON out.

Drawing a picture takes a second or so, in which Python does nothing else: beside the service nobody who asks
for a policy waits for it. It ends when nobody asks for long, or when the service does.
"""

from __future__ import annotations

import json
import os
import select
import sys
from collections.abc import Callable
from typing import Any

from evenhand.errors import EvenhandError

_IDLE_S = 600.0
_TEMPLATES = ("evenhand.service.showing", "evenhand.monitor.page")


def get_ready() -> dict[str, Any]:
    """Import what all pages need."""
    import evenhand.monitor.page.render
    import evenhand.report.pages.html  # noqa: F401

    return {}


def report(text: str, **about: Any) -> dict[str, Any]:
    """The report of a findings document."""
    from evenhand.documents import read_document
    from evenhand.report.pages.html import told

    return _printed("report.html.j2", told(read_document(text)), about)


def monitor(store: str, monitor: str, **about: Any) -> dict[str, Any]:
    """The page of a monitor that is followed in this store."""
    from evenhand.monitor.page.render import told
    from evenhand.monitor.page.stored import watch
    from evenhand.store.connecting import open_store

    opened = open_store(store, make=False)
    try:
        watched = watch(opened, monitor)
    finally:
        opened.close()
    data = {
        "name": watched.name,
        "unit": watched.unit,
        "days": list(watched.days),
        "missing": list(watched.gaps),
        "flags": [vars(one) for one in watched.flags],
        "regimes": [vars(one) for one in watched.regimes],
        "corrections": [vars(one) for one in watched.corrections],
        "findings": {
            name: {day: vars(point) for day, point in points.items()}
            for name, points in watched.points.items()
        },
    }
    return _printed("followed.html.j2", told(watched), about) | {"data": data}


def _printed(template: str, page: dict[str, Any], about: dict[str, Any]) -> dict[str, Any]:
    from evenhand.report.pages.album import comma_separated
    from evenhand.report.pages.environment import environment

    text = environment(*_TEMPLATES).get_template(template).render(page | about)
    pictures = [
        {
            "name": one.name,
            "specification": one.picture.specification,
            "rows": comma_separated(one.picture.rows),
        }
        for one in page["album"].placed
    ]
    return {"page": text, "pictures": pictures}


def picture(specification: dict[str, Any], width: int, dark: bool) -> dict[str, str]:
    """A picture as SVG, in the colours of light or dark."""
    import vl_convert

    from evenhand.report.pictures.palette import DARK, LIGHT, in_plain_colours

    drawn = in_plain_colours(specification, width, DARK if dark else LIGHT)
    return {"svg": vl_convert.vegalite_to_svg(drawn, allowed_base_urls=[])}


_WORK: dict[str, Callable[..., dict[str, Any]]] = {
    "get_ready": get_ready,
    "report": report,
    "monitor": monitor,
    "picture": picture,
}


def main() -> None:
    os.nice(5)  # who is served comes first
    while select.select([sys.stdin], [], [], _IDLE_S)[0]:
        asked = sys.stdin.buffer.readline()
        if not asked:
            return
        said = json.loads(asked)
        try:
            made = _WORK[said.pop("do")](**said)
        except EvenhandError as error:
            made = {"error": str(error)}
        except Exception as error:
            made = {"fault": type(error).__name__}  # what it says may have names in it
        print(json.dumps(made), flush=True)


if __name__ == "__main__":
    main()
