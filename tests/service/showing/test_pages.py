"""Pages as they are served: who sees what, in which words, each with its twin; no ids of people anywhere."""

from __future__ import annotations

import re
import time

import pytest

from evenhand.documents import text_of
from evenhand.monitor.page.stored import watch
from evenhand.results import AuditResult
from monitor.page.in_store import filled
from monitor.page.watched import penalty
from service.showing.served import PAGE, USERS, served

INLINE = re.compile(r"<script(?![^>]*\bsrc=)|\son\w+=|javascript:", re.IGNORECASE)


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """A store with the monitor "feed", which has a flag, and a result that was put there as "put"."""
    folder = tmp_path_factory.mktemp("store")
    filled(folder / "s.db").close()
    with served(folder) as running:
        document = text_of(AuditResult((penalty(0.3),), scope={"title": "Put here"}).document)
        running.running.log.publish(_key(), "put", document).result(60)
        yield running


def _key():
    from evenhand.service.log import Key

    return Key("published", "test", "")


@pytest.fixture(scope="module")
def audit(service):
    """Somebody was served, and somebody opted out."""
    made = service.audit()
    for _ in range(6):
        for user in USERS[:2]:
            service.visit(made, user, lambda policy: 1.0 if policy == USERS[3] else 0.0)
    service.ask("POST", f"/api/audits/{made}/opt-outs", {"user": USERS[2]})
    while not service.ask("GET", f"/api/audits/{made}").json()["undecided"]:
        time.sleep(0.05)  # the sweep tells the audit of it
    return made


PATHS = ["/", "/audits/{audit}", "/monitors/feed", "/monitors/put", "/reports/feed", "/reports/put"]


@pytest.mark.parametrize("path", PATHS)
def test_a_page_has_its_twin_a_way_back_and_no_script_in_it(service, audit, path):
    path = path.format(audit=audit)
    page = service.page(path)
    assert page.status_code == 200
    assert page.headers["content-type"].startswith("text/html")
    assert page.headers["cache-control"] == "no-store"
    assert not INLINE.search(page.text)
    assert '<a class="home" href="/">' in page.text
    twin = service.page("/overview.json" if path == "/" else f"{path}.json")
    assert twin.status_code == 200
    assert twin.headers["content-type"] == "application/json"
    for text in (page.text, twin.text):
        assert not any(user in text for user in USERS)


@pytest.mark.parametrize("path", PATHS)
def test_only_who_may_read_sees_it(service, audit, path):
    path = path.format(audit=audit)
    refused = service.page(path, service.token("assign", "report"))
    assert refused.status_code == 403
    assert "needs the scope" in refused.text
    limited = service.page(path, service.token("read", audits=["0" * 16]))
    assert limited.status_code == (200 if path == "/" else 404)


def test_who_sees_some_audits_sees_no_other_and_no_monitor(service, audit):
    another = service.audit(reward="a purchase")
    token = service.token("read", audits=[another])
    told = service.page("/overview.json", token).json()
    assert [one["id"] for one in told["audits"]] == [another]
    assert told["monitors"] is None
    assert told["flags"] == []
    page = service.page("/", token).text
    assert "Monitors" not in page
    assert audit not in page


def test_the_overview_has_audits_monitors_and_flags_in_words(service, audit):
    page = service.page("/").text
    assert "2 flags of monitors are open." in page
    assert "a &lt;b&gt;click&lt;/b&gt;" in page
    assert "It is large." in page
    assert f'href="/audits/{audit}"' in page
    assert "3 January 2026" in page


def test_an_audit_in_words(service, audit):
    page = service.page(f"/audits/{audit}").text
    assert "Nothing can be said yet: none of the 4 people is decided." in page  # who opted out is not
    assert "The audit of one person ended without a decision." in page
    assert "One of the users, who are all asked." in page
    overview = service.page("/").text
    assert "0 of 4 people; 1 ended without a decision" in overview
    assert "All 4 users, each with the recommendations of the 3 others." in page
    assert "observed within 1 hour" in page
    assert "At most 5% that the outcome of the whole audit is wrong" in page
    assert "Each line holds however often one looks" in page
    assert "of many lines some may be wrong." in page
    assert "at least 50% of what their own recommendations give" in page
    assert "Opted out, and gets their own recommendations." in page
    assert "about 4,077" in page
    assert "more than 20 million" in page
    view = service.page(f"/audits/{audit}.json").json()
    assert view["visits"] == view["own"]["shown"] + view["others"]["shown"] == 12
    assert [one["visits"] for one in view["people"]].count(6) == 2


def test_what_was_assigned_is_a_visit_when_it_was_shown(service):
    made = service.audit(activation="on_shown", window_s=3600.0)
    first, _ = service.visit(made, USERS[0]), service.visit(made, USERS[1])
    said = service.ask("POST", f"/api/assignments/{first['id']}/shown")
    assert said.json() == {"counted": True}
    view = service.page(f"/audits/{made}.json").json()
    assert (view["visits"], view["unshown"], view["open"]) == (1, 1, 1)
    assert view["own"]["shown"] + view["others"]["shown"] == 1
    assert [(one["visits"], one["unshown"]) for one in view["people"][:2]] == [(1, 0), (0, 1)]
    told = service.ask("GET", f"/api/audits/{made}").json()["people"]
    assert [(one["open"], one["unshown"]) for one in told[:2]] == [(1, 0), (0, 1)]
    page = service.page(f"/audits/{made}").text
    assert "1 more was assigned and not yet shown" in page


def test_a_report_is_that_of_the_file_with_pictures_that_the_server_draws(service):
    page = service.page("/reports/put").text
    assert "data-chart" not in page
    assert "vegaEmbed" not in page
    address = re.search(r'<img src="([^"]+)"', service.page("/monitors/feed").text)[1].replace("&amp;", "&")
    picture = service.page(address)
    assert picture.headers["content-type"] == "image/svg+xml"
    assert "immutable" in picture.headers["cache-control"]
    assert picture.text.startswith("<svg")
    assert "var(--" not in picture.text
    dark = service.page(address.replace("light", "dark"))
    assert "#15181b" in dark.text
    assert service.page(address, service.token("read", audits=["0" * 16])).status_code == 404
    rows = service.page(address.replace("-wide-light.svg", ".csv"))
    assert rows.text.startswith("\ufeffday,estimate")


@pytest.mark.parametrize("file", ["9-wide-light.svg", "1-wide-pink.svg", "0-wide-light.svg", "x"])
def test_there_is_no_other_picture(service, file):
    address = re.search(r'<img src="([^"]+)/1-wide-light', service.page("/monitors/feed").text)[1]
    assert service.page(f"{address}/{file}?feed").status_code == 404
    assert service.page(f"/pictures/monitors/{'0' * 32}/1-wide-light.svg?feed").status_code == 404


def test_a_monitor_is_printed_again_when_a_flag_was_seen(service):
    from evenhand.monitor.flags.listing import acknowledge

    before = service.page("/monitors/feed").text
    with service.store.writing() as connection:
        acknowledge(connection, 1, "gap-1", who="Grace", why="known")
    after = service.page("/monitors/feed").text
    assert "Ada" in before
    assert "Grace" in after
    assert service.page("/monitors/feed.json").json()["days"] == list(watch(service.store, "feed").days)


@pytest.mark.parametrize(
    ("path", "status"),
    [("/nothing", 404), ("/audits/0000000000000000", 404), ("/audits/x", 404), ("/monitors/none", 404)],
)
def test_what_is_not_there_is_a_page_for_people_and_json_for_programs(service, path, status):
    page = service.page(path)
    assert page.status_code == status
    assert "Back to the overview" in page.text
    assert "There is no" in page.text
    program = service.client.get(path, headers={"authorization": f"Bearer {service.reader}"})
    assert program.json()["error"].startswith("There is no")
    assert service.client.get(
        f"{path}.json", headers=PAGE | {"authorization": f"Bearer {service.reader}"}
    ).json()


def test_what_a_client_says_is_text_on_every_page(service):
    made = service.audit(reward="<script>alert(1)</script>\u202e", version="</style><img src=x>")
    for path in ("/", f"/audits/{made}"):
        page = service.page(path).text
        assert "<script>alert" not in page
        assert "<img src=x>" not in page
        assert "\u202e" not in page


def test_an_audit_has_a_page_whatever_was_done_to_it(service):
    """Not named, paused, somebody deleted, ended."""
    drawn = service.audit(
        users=None, criterion="probabilistic", population=50, digest="0" * 64, daily=3, series="weekly"
    )
    page = service.page(f"/audits/{drawn}").text
    assert "the people who were drawn have not been named" in page
    assert "Of 50 users 46 are drawn and tried, each against all 49 others." in page
    assert "At most 3 a day." in page
    assert "Audit 1 of weekly" in page
    made = service.audit()
    service.visit(made, USERS[0], 1.0)
    service.ask("POST", f"/api/audits/{made}/pause")
    page = service.page(f"/audits/{made}").text
    assert "The audit is paused: everybody gets their own recommendations." in page
    service.ask("POST", f"/api/audits/{made}/end", {"reason": "We <i>stop</i>."})
    service.ask("POST", f"/api/audits/{made}/deletions", {"user": USERS[1]})  # before, it would end by that
    _until(service, made)
    page = service.page(f"/audits/{made}").text
    assert "Nothing is certified: the audit ended before it could decide." in page
    assert "We &lt;i&gt;stop&lt;/i&gt;." in page
    assert "Deleted. Kept are hashes of what was recorded, the place that was drawn and the outcome" in page
    assert "nothing is kept" not in page
    assert "Numbers of visits and costs are without 1 person who was deleted: " in page
    assert "live.js" not in page  # nothing moves any more


def _until(service, audit):
    """A page may be a second old."""
    end = time.monotonic() + 60
    while service.page(f"/audits/{audit}.json").json()["outcome"] is None:
        assert time.monotonic() < end
        time.sleep(0.1)


def test_an_audit_that_finds_nobody_better_off_says_so(service):
    made = service.audit(users=USERS[:2], epsilon=0.5, alpha=0.9)
    for number in range(400):
        user = USERS[number % 2]
        service.visit(made, user, lambda policy, user=user: float(policy == user))
        if number % 20 == 19 and service.running.log.read.audit_view(made)["decided"] == 2:
            break
    _until(service, made)
    page = service.page(f"/audits/{made}").text
    assert (
        "None of the 2 people would be better off with another&#39;s recommendations by more than 0.5" in page
    )
    assert "nobody better off" in service.page("/").text
    assert "which can be checked against the log when the audit is over" in page
    people = service.page(f"/audits/{made}.json").json()["people"]
    assert [one["policies"][0]["state"] for one in people] == ["ruled_out", "ruled_out"]
    assert all(one["policies"][0]["high"] <= 0.5 for one in people)
    service.ask("POST", f"/api/audits/{made}/deletions", {"user": USERS[0]})
    assert service.ask("GET", f"/api/audits/{made}").json()["checkable"] is False
    said = "Nobody can check this outcome any more: it rests on people who were deleted."
    assert said in service.page("/").text
    page = _page_with(service, made, said)
    assert "which can be checked" not in page
    assert "whose outcome cannot be checked any more" in page


def _page_with(service, audit, said):
    """A page may be a second old."""
    end = time.monotonic() + 60
    while said not in (page := service.page(f"/audits/{audit}").text):
        assert time.monotonic() < end
        time.sleep(0.1)
    return page


def test_a_sample_that_finds_nobody_says_of_whom_it_speaks(service):
    """On the overview, on its page and in its twin."""
    made = service.audit(
        users=[f"u{n}" for n in range(6)], criterion="probabilistic", epsilon=0.8, alpha=0.9, delta=0.45,
        gamma=0.9, **{"lambda": 0.95},
    )  # fmt: skip
    for number in range(2_000):
        for user in service.running.log.read.targets(made):
            service.visit(made, user, lambda policy, user=user: float(policy == user))
        if number % 5 == 4 and service.page(f"/audits/{made}.json").json()["outcome"] is not None:
            break
    _until(service, made)
    for page in (service.page("/").text, service.page(f"/audits/{made}").text):
        assert "At most 95% of users would be better off by more than 0.8 with the recommendations" in page
        assert "Of 6 users 2 were drawn and tried, each against 2 of 5 others." in page
    assert "nobody found in a sample" in service.page("/").text
    page = service.page(f"/audits/{made}").text
    assert "None of the 2 others tried is better by more than 0.8." in page
    assert "none better of 2 tried" in page
    assert "2 not with any of those tried" in page
    assert "nobody better off" not in page


def test_a_cost_takes_visits_that_wait_for_a_reward_to_be_as_the_rest_and_says_so(service):
    """It is related to what their own recommendations give."""
    made = service.audit(users=["a", "b"], alpha=0.9)
    for number in range(16):  # the own give 1, another's 0; the last wait
        for user in ("a", "b"):
            reward = (lambda policy, user=user: float(policy == user)) if number < 8 else None
            service.visit(made, user, reward)
    told = _seen(service, made, 32)
    others = told["others"]["shown"]
    assert 0 < told["left_out"] < others
    assert sum(one["left_out"] for one in told["people"]) == told["left_out"]
    assert told["cost"] == pytest.approx(others)  # they lost all in those visits
    assert told["cost_share"] == pytest.approx(others / told["visits"])
    page = service.page(f"/audits/{made}").text
    assert f"What came of {told['left_out']} of the {others} visits with others" in page
    assert "of the visits." not in page
    people = service.ask("GET", f"/api/audits/{made}").json()["people"]
    assert sum(one["left_out"] for one in people) == told["left_out"]


def _seen(service, audit, visits):
    """A page may be a second old."""
    end = time.monotonic() + 60
    while (told := service.page(f"/audits/{audit}.json").json())["visits"] < visits:
        assert time.monotonic() < end
        time.sleep(0.1)
    return told
