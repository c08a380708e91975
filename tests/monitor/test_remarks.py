"""A day that lost its rows is noticed; a weekend, and what was always left out, is not."""

from evenhand.documents import Fingerprint
from evenhand.inputs import Untaken
from evenhand.monitor.days.remarks import (
    Before,
    Remark,
    few_files,
    few_rows,
    left_out,
    new_values,
    packed,
    unpacked,
)
from evenhand.plan.running.taken import Taken
from evenhand.plan.running.untaken import LeftOut

WEEKS = [1000, 1050, 980, 1020, 990, 400, 380] * 4


def days(rows, remarks=()):
    return [Before({"default": each}, tuple(remarks)) for each in rows]


def few(now, before):
    inputs = {"default": Fingerprint(source="x", rows=now, sha256="0")}
    return [one.said for one in few_rows(inputs, {"default"}, days(before))]


def test_weekends_are_no_news():
    for place in range(len(WEEKS)):
        assert few(WEEKS[place], WEEKS[:place]) == []
    # The first weekend comes before one was seen.
    assert few(400, WEEKS[:5]) == []


def test_a_day_with_a_tenth_of_the_rows_is_said_and_the_next_ones_too():
    assert "default has 100 rows, and the quietest day before had 380" in few(100, WEEKS)[0]
    remarked = days([100] * 3, [Remark("few", ("few rows of default",))])
    inputs = {"default": Fingerprint(source="x", rows=100, sha256="0")}
    assert list(few_rows(inputs, {"default"}, [*remarked, *days(WEEKS)]))
    assert few(100, WEEKS[:2])
    assert few(100, []) == []


def test_a_log_whose_rows_are_not_known_says_nothing():
    assert few(None, WEEKS) == []
    assert few(5, [None, None]) == []


def test_rows_that_no_input_takes_are_said_once_for_each_value():
    def found(**values):
        rows = tuple((f"served_by {name}", count) for name, count in values.items())
        return [LeftOut(("default", "random"), Untaken(sum(values.values()), 1000, rows))]

    (first,) = left_out(found(ads=100), [])
    assert first.new
    (again,) = left_out(found(ads=120), days([1], [first]))
    assert not again.new
    (other,) = left_out(found(ads=100, ranker_v4=600), days([1], [again]))
    assert other.new
    assert "ranker_v4" in other.said
    assert list(left_out(found(ads=3), [])) == []


def test_a_value_that_not_lets_in_is_said_on_its_first_day():
    def found(**values):
        return [Taken("default", tuple((f"served_by {name}", rows) for name, rows in values.items()))]

    (first,) = new_values(found(ranker_v3=900), [])
    assert not first.new
    (new,) = new_values(found(ranker_v3=900, explore_mobile=300, odd=1), days([1], [first]))
    assert new.new
    assert "default takes a new value" in new.said
    assert "served_by explore_mobile (300 rows)" in new.said
    assert "odd" not in new.said
    (again,) = new_values(found(ranker_v3=900, explore_mobile=300), days([1], [new]))
    assert not again.new
    # Nothing is known before the first day: that there are several is said.
    (several,) = new_values(found(ranker_v3=900, explore_mobile=300), [])
    assert several.new
    assert "served_by ranker_v3 (900 rows) and served_by explore_mobile (300)" in several.said


def test_a_day_that_lacks_one_of_its_files_is_said():
    def files(now, before):
        inputs = {"default": Fingerprint(source="x", rows=1, files=now, sha256="0")}
        several = [Before({}, (), {"default": each}) for each in before]
        return [one.said for one in few_files(inputs, {"default"}, several)]

    assert "default has 1 file, and the days before had 2 each" in files(1, [2, 2, 2])[0]
    assert files(2, [2, 2, 2]) == []
    assert files(1, [2, 3, 2]) == []  # as many as the engine likes
    assert files(1, [2]) == []


def test_remarks_are_kept_as_they_are():
    told = (Remark("few", ("a",)), Remark("known", (), new=False))
    assert unpacked(packed(told)) == told
    assert unpacked(None) == ()
