"""Pictures of a page and their data as files; addresses of findings."""

from __future__ import annotations

import csv
import io
import json

from evenhand.report.pages.album import Album, comma_separated
from evenhand.report.pages.anchors import anchor
from evenhand.report.pictures.picture import Picture


def test_a_name_that_a_spreadsheet_would_compute_stays_a_name():
    rows = [{"who": "=1+1", "estimate": -0.5}, {"who": 'a, "b"\nc', "low": 0.1}]
    read = list(csv.DictReader(io.StringIO(comma_separated(rows))))
    assert read[0] == {"who": "'=1+1", "estimate": "-0.5", "low": ""}
    assert read[1] == {"who": 'a, "b"\nc', "estimate": "", "low": "0.1"}


def test_a_picture_stands_on_a_page_once():
    album = Album()
    first, other = Picture("", {"mark": "a"}, ""), Picture("", {"mark": "b"}, "")
    assert album.put(first, "creators").number == 1
    assert [one.number for one in album.put_new([first, other], "../x y")] == [2]
    assert [one.name for one in album.placed] == ["1-creators", "2----x-y"]


def test_numbers_of_pictures_have_the_digits_that_can_be_seen():
    album = Album()
    album.put(Picture("", {"at": [1 / 3]}, "", [{"who": "a", "estimate": 2 / 3}]), "x")
    told = json.loads(album.as_json())["1"]
    assert told["specification"]["at"] == [0.3333333]
    assert told["data"] == "who,estimate\na,0.6666667\n"


def test_addresses_have_nothing_that_a_browser_would_write_in_another_way():
    assert anchor("a.b/stage=all stages/x=<i>") == "a.b/stage=all%20stages/x=%3Ci%3E"
    long, longer = anchor("x" * 10_000), anchor("x" * 10_001)
    assert len(long) < 250
    assert long != longer
