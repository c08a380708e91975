"""The colours of the report, once: for the page as CSS variables, for a picture outside of it as they are.

Verdicts have colours of their own, which nothing else has. What is tolerated, intervals and what chance gives
are grey; lines are told apart by dashes as well; maps have one scale, from purple (less) to green (more),
which the colour-blind can tell apart, in steps: each step is a variable, so a map follows light and dark.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

LIGHT: Mapping[str, str] = {
    "paper": "#fdfdfb", "panel": "#f5f4ef", "ink": "#1d2126", "muted": "#5c636b", "line": "#dddbd3",
    "band": "#e9e7df", "accent": "#1f4e6b",
    "violation": "#b3400a", "inconclusive": "#6a5a12", "within-tolerance": "#0b62a0",
    "not-applicable": "#5c636b", "none": "#3f464e",
    "series-1": "#1d2126", "series-2": "#7b3f98", "series-3": "#00766c", "series-4": "#a8246b",
    "series-5": "#6e6e6e", "series-6": "#4a7212",
    "map-1": "#592a72", "map-2": "#8c58a6", "map-3": "#d6c3e0", "map-4": "#f1f0ea", "map-5": "#bfe0bd",
    "map-6": "#347f43", "map-7": "#124f26",
    "on-map-1": "#ffffff", "on-map-2": "#ffffff", "on-map-3": "#1d2126", "on-map-4": "#1d2126",
    "on-map-5": "#1d2126", "on-map-6": "#ffffff", "on-map-7": "#ffffff",
}  # fmt: skip
DARK: Mapping[str, str] = {
    "paper": "#15181b", "panel": "#1d2125", "ink": "#e7e6e1", "muted": "#a3a9b0", "line": "#363b41",
    "band": "#2a2f35", "accent": "#8fc3e6",
    "violation": "#ff9b66", "inconclusive": "#d9c35c", "within-tolerance": "#74bdf2",
    "not-applicable": "#a3a9b0", "none": "#c3c7cc",
    "series-1": "#e7e6e1", "series-2": "#cf9ae6", "series-3": "#4ec9b8", "series-4": "#f58fc0",
    "series-5": "#9a9a9a", "series-6": "#a9cf6a",
    "map-1": "#dcb4ef", "map-2": "#b27fcb", "map-3": "#5b3d6b", "map-4": "#262b30", "map-5": "#2c5434",
    "map-6": "#6fba7c", "map-7": "#b5e8bb",
    "on-map-1": "#15181b", "on-map-2": "#15181b", "on-map-3": "#ffffff", "on-map-4": "#e7e6e1",
    "on-map-5": "#ffffff", "on-map-6": "#15181b", "on-map-7": "#15181b",
}  # fmt: skip
# Steps of the scale of maps, and where they begin, in parts of what is drawn darkest.
STEPS = 7
BOUNDS = (-0.6, -0.3, -0.1, 0.1, 0.3, 0.6)
MAP = [f"var(--map-{step})" for step in range(1, STEPS + 1)]
ON_MAP = [f"var(--on-map-{step})" for step in range(1, STEPS + 1)]
SERIES = [f"var(--series-{number})" for number in range(1, 7)]
DASHES = [[1, 0], [6, 3], [2, 2], [9, 3, 2, 3], [12, 4], [1, 4]]


def css() -> str:
    """The variables of a page, in light, and in dark on a screen that is asked to be."""
    light, dark = (
        "".join(f"--{name}: {value}; " for name, value in colours.items()) for colours in (LIGHT, DARK)
    )
    return (
        f":root {{ {light}}}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ :root {{ {dark}}} }}\n"
    )  # fmt: skip


def in_plain_colours(
    specification: Mapping[str, Any], width: int, colours: Mapping[str, str] = LIGHT
) -> dict[str, Any]:
    """A specification as it can stand anywhere: colours that are no variables, and a width that does not
    depend on what is around it."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: plain(item) for key, item in value.items()}
        if isinstance(value, list):
            return [plain(item) for item in value]
        if isinstance(value, str) and value.startswith("var(--") and value.endswith(")"):
            return colours.get(value[6:-1], value)
        return value

    # What is drawn is data, and not to be changed: names may look like anything.
    told = {key: value if key == "datasets" else plain(value) for key, value in specification.items()}
    sized = {key: value for key, value in told.items() if key != "datasets"}
    sized = json.loads(json.dumps(sized).replace("containerSize()[0]", str(width)))
    data = {"datasets": told["datasets"]} if "datasets" in told else {}
    return sized | data | {"width": width, "background": colours["paper"]}
