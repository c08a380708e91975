"""Revisions of a plan: written to its end, and a change that nobody wrote down is noticed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import date
from time import sleep

import pytest

import evenhand as eh
from evenhand.plan import revisions

DAY, TODAY = date(2026, 3, 1), date(2026, 3, 9)


def test_a_revision_is_written_to_the_end_and_the_rest_stays(plan):
    path = plan()
    before = path.read_text(encoding="utf-8")
    revisions.add(path, 'Ada "A." Ü', "The first\nplan \\ all of it", DAY, TODAY)
    after = path.read_text(encoding="utf-8")
    assert after.startswith(before.rstrip())
    (one,) = eh.plan.load(path).revisions
    assert (one.who, one.what, one.when) == ('Ada "A." Ü', "The first\nplan \\ all of it", DAY)
    assert one.fingerprint == eh.plan.load(path).source.fingerprint


def test_a_change_that_nobody_wrote_down_is_noticed(plan):
    path = plan()
    assert revisions.told(eh.plan.load(path), path) == ["No revision is written down."]
    revisions.add(path, "Ada", "The first plan", DAY, TODAY)
    assert revisions.told(eh.plan.load(path), path) == ["2026-03-01  Ada: The first plan"]
    laid_out = path.read_text(encoding="utf-8").replace("seed = 1", "# a remark\nseed  =  1")
    path.write_text(laid_out, encoding="utf-8")
    assert not revisions.unrecorded(eh.plan.load(path))
    path.write_text(laid_out.replace("seed  =  1", "seed = 2"), encoding="utf-8")
    *_, changed, which = revisions.told(eh.plan.load(path), path)
    assert changed.startswith("The plan has been changed since")
    assert which == "  seed: was 1, is 2"
    revisions.add(path, "Ben", "Another seed", DAY, TODAY)
    assert not revisions.unrecorded(eh.plan.load(path))
    assert [one.who for one in eh.plan.load(path).revisions] == ["Ada", "Ben"]


def test_a_revision_is_a_line_with_nothing_in_it_that_is_obeyed(plan):
    path = plan("seed = 1", '[[revisions]]\nwho = "A\\u001b[1m"\nwhen = 2026-05-04\nwhat = "a\\nb\\u202e"')
    assert revisions.told(eh.plan.load(path), path)[0] == "2026-05-04  A␛[1m: a␊b\\u202e"


def test_what_changed_is_told_key_by_key_wherever_an_audit_stands(plan):
    path = plan()
    revisions.add(path, "Ada", "The first plan", DAY, TODAY)
    text = path.read_text(encoding="utf-8")
    first, second = text.index("[[audits]]"), text.rindex("[[audits]]")
    moved = (
        text[:first]
        + text[second : text.index("[[revisions]]")]
        + text[first:second]
        + text[text.index("[[revisions]]") :]
    )
    path.write_text(moved.replace('cluster = "user_id"', "level = 0.9"), encoding="utf-8")
    assert revisions.told(eh.plan.load(path), path)[2:] == [
        "  audits.opportunity.level: new, 0.9",
        '  audits.opportunity.cluster: taken out, was "user_id"',
    ]
    path.with_name("audit.revisions.json").unlink()
    assert "audit.revisions.json does not have what" in revisions.told(eh.plan.load(path), path)[-1]


def test_a_forgotten_change_goes_to_its_place(plan):
    path = plan()
    revisions.add(path, "Ada", "The first plan", date(2026, 2, 1), TODAY)
    revisions.add(path, "Ben", "The second", DAY, TODAY)
    revisions.add(path, "Cleo", "What was forgotten", date(2026, 2, 15), TODAY)
    known = eh.plan.load(path)
    assert [one.who for one in known.revisions] == ["Ada", "Cleo", "Ben"]
    assert [one.fingerprint is None for one in known.revisions] == [False, True, False]
    assert not revisions.unrecorded(known)


def test_it_goes_to_its_place_where_lines_end_in_two_ways(plan):
    path = plan()
    revisions.add(path, "Ben", "The second", DAY, TODAY)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n", 1))
    revisions.add(path, "Ada", "What was forgotten", date(2026, 2, 15), TODAY)
    assert [one.who for one in eh.plan.load(path).revisions] == ["Ada", "Ben"]


def test_lines_end_as_they_did_and_a_link_stays_one(plan, folder):
    path = plan()
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    (folder / "link.toml").symlink_to(path)
    revisions.add(folder / "link.toml", "Ada", "x", DAY, TODAY)
    assert (folder / "link.toml").is_symlink()
    assert b"\n" not in path.read_bytes().replace(b"\r\n", b"")
    assert len(eh.plan.load(path).revisions) == 1


@pytest.mark.parametrize(
    ("more", "who", "when", "says"),
    [
        ("", " ", DAY, "who is empty; say who changed the plan."),
        ('revisions = [{ who = "A", when = 2026-02-01, what = "x" }]\n', "A", DAY, "revisions in brackets"),
        (
            "",
            "A",
            date(2026, 3, 10),
            "2026-03-10 is not yet, so nothing was changed on it; today is 2026-03-09",
        ),
    ],
)
def test_what_cannot_be_written_down(plan, more, who, when, says):
    path = plan("[scope]", f"{more}[scope]") if "[[" in more else plan("seed = 1", f"{more}seed = 1")
    before = path.read_bytes()
    with pytest.raises(eh.InputError, match=says):
        revisions.add(path, who, "x", when, TODAY)
    assert path.read_bytes() == before


def test_the_report_says_what_was_agreed_and_what_was_not(plan, tmp_path):
    frame = """
[scope]
harm = "They earn less."
stakeholders = ["creators", "users"]
attributes = { creator_age = "Age is protected" }
pipeline = "ranking"
[identify]
comparison = "random traffic"
period = [2026-03-01, 2026-03-14]
[[revisions]]
who = "Ada"
when = 2026-03-01
what = "The first plan"
fingerprint = "0123456789abcdef"
[[audits]]
audit = "parity"
default = "control"
catalogue = "random"
group = "creator_age"
tolerance = 0.1
name = "shares"
reason = "Agreed in March"
"""
    text = plan().read_text(encoding="utf-8").replace('[scope]\ntitle = "A small marketplace"\n', "")
    path = plan()
    path.write_text(text + frame, encoding="utf-8")
    result = eh.plan.run(path, tmp_path / "out", only=["shares"])
    assert result.plan["scope"]["stakeholders"] == ["creators", "users"]
    assert result.plan["identify"]["period"] == ["2026-03-01", "2026-03-14"]
    assert result.plan["audits"][0]["reason"] == "Agreed in March"
    assert result.plan["left_out"] == ["opportunity", "compare"]
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    for words in (
        "They earn less.",
        "creators; users",
        "creator age: Age is protected",
        "random traffic",
        "tolerance 0.1; Agreed in March",
        "Ada: The first plan",
        "The plan has been changed since its last revision",
        "Only 1 of the 3 audits of the plan were run; left out: opportunity, compare.",
    ):
        assert words in page, words
    first_screen = page[page.index('<header id="answers">') : page.index("</header>")]
    assert "They earn less." not in first_screen


def test_letters_stay_letters_and_what_cannot_be_seen_is_escaped():
    from evenhand.plan.revisions import _as_toml

    assert _as_toml("versión\x7f\u202e") == '"versión\\u007f\\u202e"'


def test_letters_beyond_the_first_plane_are_kept(plan):
    path = plan()
    revisions.add(path, "Ada 😀", "𝔛 \x7f", DAY, TODAY)
    (one,) = eh.plan.load(path).revisions
    assert (one.who, one.what) == ("Ada 😀", "𝔛 \x7f")
    with pytest.raises(eh.InputError, match="who has bytes that are no letters"):
        revisions.add(path, "Ada \udcff", "x", DAY, TODAY)


def test_several_at_once_lose_none(plan, monkeypatch):
    path = plan()
    write = revisions.write_together
    monkeypatch.setattr(revisions, "write_together", lambda *given: (sleep(0.05), write(*given)))
    names = [f"Ada {number}" for number in range(4)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda who: revisions.add(path, who, "x", DAY, TODAY), names))
    assert sorted(one.who for one in eh.plan.load(path).revisions) == names
