"""The script that draws charts in a page."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path

from evenhand.errors import InputError
from evenhand.files import write_together


@cache
def library() -> str:
    """Vega, Vega-Lite and vega-embed as one script, which puts `vegaEmbed` on the window.

    It takes a second or two to put together and is always the same, so it is kept in the user's cache.
    """
    kept = _place()
    try:
        if kept is not None:
            return kept.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        pass  # not there yet, or not to be read
    made = _made()
    if kept is not None:
        with suppress(InputError):  # no place for it: made anew each time
            write_together(kept.parent, {kept.name: made})
    return made


def _made() -> str:
    import vl_convert

    # The stub asks for a snippet; without one the bundle puts vegaEmbed on the window, which is what we use.
    bundle: str = vl_convert.javascript_bundle()  # type: ignore[call-arg]
    return bundle


def _place() -> Path | None:
    """Where it is kept; None for who has no home."""
    try:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError:
        return None
    return folder / "evenhand" / f"vega-{version('vl-convert-python')}.js"
