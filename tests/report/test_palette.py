"""The colours of the report: they can be read and told apart, and those of verdicts mean verdicts."""

from __future__ import annotations

import json
import re

import pytest

from evenhand.report.pages.arrange import sections
from evenhand.report.pictures import palette
from evenhand.report.pictures.gallery import pictures_of_each, pictures_together

SCHEMES = {"light": palette.LIGHT, "dark": palette.DARK}
VERDICTS = ("violation", "inconclusive", "within-tolerance")
MARKS = (*VERDICTS, "not-applicable", "none", "ink", "muted", *(f"series-{n}" for n in range(1, 7)))


def light(colour):
    """Relative luminance, as WCAG 2 has it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_text_and_marks_contrast_with_what_is_behind_them(scheme):
    colours = SCHEMES[scheme]
    for name in ("ink", "muted", "accent", *VERDICTS):
        assert contrast(colours[name], colours["paper"]) >= 4.5
        assert contrast(colours[name], colours["panel"]) >= 4.5
    for name in MARKS:
        assert contrast(colours[name], colours["paper"]) >= 3
        assert contrast(colours[name], colours["band"]) >= 3


@pytest.mark.parametrize("scheme", SCHEMES)
def test_numbers_on_tiles_can_be_read_and_further_is_further_from_paper(scheme):
    colours = SCHEMES[scheme]
    for step in range(1, palette.STEPS + 1):
        assert contrast(colours[f"map-{step}"], colours[f"on-map-{step}"]) >= 4.5
    apart = [contrast(colours[f"map-{step}"], colours["paper"]) for step in range(1, palette.STEPS + 1)]
    middle = palette.STEPS // 2
    assert apart[: middle + 1] == sorted(apart[: middle + 1], reverse=True)
    assert apart[middle:] == sorted(apart[middle:])


def test_both_schemes_have_every_colour():
    assert palette.LIGHT.keys() == palette.DARK.keys()
    css = palette.css()
    assert all(
        f"--{name}: {value};" in css for colours in SCHEMES.values() for name, value in colours.items()
    )


def drawn(document):
    for section in sections(document.findings):
        for pictures in pictures_of_each(section.singles):
            yield from pictures
        for family in section.families:
            yield from pictures_together(family)


@pytest.mark.parametrize("name", ["typical", "crowded", "hostile", "associated", "planned"])
def test_pictures_use_colours_of_the_page_and_those_of_verdicts_for_verdicts(make, name):
    found = list(drawn(getattr(make, name)()))
    assert found
    for picture in found:
        told = {key: value for key, value in picture.specification.items() if key != "datasets"}
        used = re.findall(r"var\(--([\w-]+)\)", json.dumps(told))
        assert set(used) <= palette.LIGHT.keys()
        assert not re.search(r'"#[0-9a-f]{3,6}"', json.dumps(told))
        for layer in told["layer"]:
            told_by = [one for one in layer["encoding"].values() if isinstance(one, dict)]
            scales = [one.pop("scale", None) for one in told_by if one.get("field") == "verdict"]
            assert (set(re.findall(r"var\(--([\w-]+)\)", json.dumps(layer))) & set(VERDICTS)) == set()
            assert all(scale is None or len(scale["domain"]) == len(scale["range"]) for scale in scales)


def test_outside_of_the_page_colours_are_as_they_are_and_names_stay():
    specification = {
        "mark": {"fill": "var(--ink)", "size": {"expr": "containerSize()[0] < 500 ? 1 : 2"}},
        "datasets": {"data": [{"label": "var(--ink)", "said": "containerSize()[0]"}]},
        "width": "container",
    }
    plain = palette.in_plain_colours(specification, 640)
    assert plain["mark"] == {"fill": palette.LIGHT["ink"], "size": {"expr": "640 < 500 ? 1 : 2"}}
    assert plain["datasets"] == specification["datasets"]
    assert plain["width"] == 640
