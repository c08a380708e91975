"""The figures of docs/tutorials/real-data.md, on the real files."""

import pytest

import evenhand as eh


@pytest.fixture(scope="module")
def coat(data_folder):
    return eh.datasets.coat(data_folder("coat"))


def audited(coat, attributes, on, cluster="user_id"):
    logs = [log.assign(liked=log.rating >= 4) for log in (coat.selected, coat.random)]
    return eh.opportunity.audit(
        *logs, label="liked", group="gender", attributes=attributes, on=on, cluster=cluster
    )


def test_by_the_gender_of_the_coat(coat):
    result = audited(coat, coat.items, "item_id")
    penalty, ratio = result.find("reo_penalty"), result.find("worst_ratio")
    assert penalty.estimate == pytest.approx(0.124, abs=5e-4)
    assert (penalty.interval.low, penalty.interval.high) == pytest.approx((0, 0.246), abs=5e-4)
    assert ratio.estimate == pytest.approx(0.78, abs=5e-3)
    assert (ratio.interval.low, ratio.interval.high) == pytest.approx((0.61, 0.998), abs=5e-3)
    assert ratio.details["lowest"] == "women"
    assert result.find("equality").p_value == pytest.approx(0.048, abs=5e-4)
    assert penalty.verdict == ratio.verdict == "inconclusive"


def test_by_the_gender_of_the_user(coat):
    result = audited(coat, coat.users, "user_id")
    penalty, ratio = result.find("reo_penalty"), result.find("worst_ratio")
    assert penalty.estimate == pytest.approx(0.015, abs=5e-4)
    assert (penalty.interval.low, penalty.interval.high) == pytest.approx((0, 0.095), abs=5e-4)
    assert (ratio.interval.low, ratio.interval.high) == pytest.approx((0.83, 1), abs=5e-3)
    assert ratio.details["lowest"] == "men"
    assert result.find("equality").p_value == pytest.approx(0.71, abs=5e-3)
    assert penalty.verdict == ratio.verdict == "within_tolerance"


def test_for_coats_like_these(coat):
    result = audited(coat, coat.items, "item_id", ("user_id", "item_id"))
    penalty = result.find("reo_penalty")
    assert (penalty.interval.low, penalty.interval.high) == pytest.approx((0, 0.266), abs=5e-4)
    assert result.find("equality").p_value == pytest.approx(0.088, abs=5e-4)
    assert any("item_id like these" in text for text in penalty.assumptions)
