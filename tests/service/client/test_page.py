"""docs/howto/live-certificate.md: its commands and its Python as they are written, and what it says."""

import re

import pytest

from pages import DOCS, blocks
from pages.running import run_page

PAGE = DOCS / "howto" / "live-certificate.md"
BESIDE = ("howto/run-the-service.md", "howto/privacy.md", "reference/client.md")


@pytest.mark.slow
def test_the_page_runs_as_pasted(tmp_path):
    """But for the port, which may be taken, and the time of the simulation."""
    ran = run_page(PAGE, None, tmp_path / "page", {"--seconds 30": "--seconds 2"})
    out, folder = "".join(done.out for done in ran), tmp_path / "page" / "work"
    assert "user-1 sees what the policy of user-" in out
    assert "zoe sees what the policy of zoe recommends (not_target)" in out
    assert "Stats(asked=2, " in out
    assert "Planted: user-1 is better off by 0.5 with the policy of user-2." in out
    assert '"epsilon"' in out  # the certificate
    assert '{"opted_out":true,"known":true}{"deleted":true,"known":true,"ended":2}' in out
    assert out.count("The certificate holds: the ") == 2
    assert "what 1 deleted user did and their outcome (linked, not replayable)" in out
    handed = (folder / "handed-over" / "certificate.events.jsonl").read_text()
    assert "user-" not in handed
    assert ": all as it should be; " in out
    assert (folder / "evenhand.backup.gz").exists()
    assert "user-2" not in (folder / "server.log").read_text()


def test_the_page_names_metrics_that_there_are():
    from evenhand.service.http.metrics import Metrics

    made = Metrics()
    made.requests.labels("GET", "/", 200).inc()
    made.seconds.labels("/").observe(0.1)
    text = made.text().decode()
    named = re.findall(r"^\| `(evenhand_\w+)", (DOCS / BESIDE[0]).read_text(encoding="utf-8"), re.M)
    assert len(named) == 5
    assert [name for name in named if f"\n{name}" not in text] == []


def test_the_page_says_how_many_are_drawn_by_default():
    from evenhand.envy import sample_sizes
    from evenhand.service.log.asked import AskedLiveAudit

    fields = AskedLiveAudit.model_fields
    asked = {name: fields[name].default for name in ("delta", "gamma", "lambda_", "dropouts")}
    users, others = sample_sizes(**asked)
    said = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert f"with the defaults {users} users and {others} others each" in said
    assert f"`lambda` ({asked['lambda_']:g}) is the share of users" in said
    assert f"`gamma` ({asked['gamma']:g}) is how many others" in said
    assert "So it never says that nobody is better off" in said
    assert (
        f"`delta` ({asked['delta']:g}) is the probability that the outcome of the whole audit is wrong"
        in said
    )


def said():
    pages = (PAGE, *(DOCS / name for name in BESIDE))
    return " ".join(word for page in pages for word in page.read_text(encoding="utf-8").split())


def test_the_first_example_reports_no_click_as_0():
    (example,) = (block.text for block in blocks(PAGE) if block.language == "python")
    assert "audit.reward(visit, 1.0 if clicked else 0.0)" in example
    assert "No click is a reward of 0: report it" in said()
    assert "a reward that is not reported holds it up until the deadline" in said()


def test_the_page_says_that_ended_may_be_one_user():
    assert "The reason `ended` of a visit does not say that the audit is over" in said()
    assert "Whether it is over says `stats().ended`" in said()


def test_the_page_says_how_long_a_window_the_tries_of_the_client_need():
    from evenhand.service.client import sender
    from evenhand.service.log.asked import AskedLiveAudit

    pause, lasts = sender._LONGEST_S, sender._WITHIN_S
    assert f"tries again after up to {pause:g} seconds, and a try lasts up to {lasts:g}" in said()
    assert f"may come {pause + lasts:g} seconds later" in said()
    window = int(re.search(r"let `window_s` be (\d+) or more", said())[1])
    assert window > pause + lasts
    by_default = AskedLiveAudit.of({"users": ["a", "b"], "deadline_s": 20 * 60.0, "reward": "a click"})
    assert by_default.settings()["window_s"] == window
    assert f"`grace_s`, which is {by_default.grace_s:g} where nothing is said" in said()


def test_the_page_says_who_may_share_a_client():
    assert "All threads of a process may share one client." in said()
