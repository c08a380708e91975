"""`evenhand envy`: the commands are the calls, and what cannot be used is refused in a sentence."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from dom import parsed, words
from evenhand.envy.online.chains import grown, leaf_of
from evenhand.envy.systems.policies import softmax
from evenhand.recommenders import Interactions, fit
from evenhand.recommenders.stored.storage import save

USERS, ITEMS = 30, 8
TABLES = ("envy", "offline", "--preferences", "likes.parquet", "--policies", "shown.parquet")
SIMULATE = ("envy", "simulate", "--means", ".6,.2,.3", "--alpha", 0.5, "--epsilon", 0.3, "--runs", 20)
PLAN = ("envy", "plan", "--baseline", 0.6, "--gap", -0.4, "--gap", 0.3, "--runs", 10, "--epsilon", 0.3)


@pytest.fixture
def tables(logs):
    rng = np.random.default_rng(0)
    likes = rng.random((USERS, ITEMS))
    shown = softmax(rng.random((USERS, ITEMS)), 8.0)
    user, item = (place.ravel() for place in np.indices(likes.shape))
    pairs = pd.DataFrame({"user_id": user, "item_id": item})
    pairs.assign(preference=likes.ravel()).to_parquet(logs / "likes.parquet", index=False)
    pairs.assign(probability=shown.ravel()).to_parquet(logs / "shown.parquet", index=False)
    people = pd.DataFrame({"user_id": range(USERS), "gender": ["f", "m"] * (USERS // 2)})
    people.to_parquet(logs / "people.parquet", index=False)
    return logs


@pytest.fixture
def certified(evenhand, tmp_path):
    """The folder of a certificate and its events."""
    ran = evenhand(*SIMULATE, "--certificate", tmp_path / "kept")
    assert (ran.code, ran.err) == (0, "")
    return tmp_path / "kept"


def instead(command, words):
    """The command with these words in place of its own; gaps are added."""
    pairs = [command[place : place + 2] for place in range(2, len(command), 2)]
    kept = [word for pair in pairs if pair[0] not in words or pair[0] == "--gap" for word in pair]
    return (*command[:2], *kept, *words)


def findings(ran):
    assert (ran.code, ran.err) == (0, "")
    return eh.AuditResult.from_json(ran.out).findings


# With known preferences


def test_the_command_is_the_call(evenhand, tables):
    ran = evenhand(
        *TABLES, "--users", "people.parquet", "--group", "gender", "--epsilon", 0.1, "--gamma", 0.2,
        "--tolerance", 0.3, "--top", 2, "--level", 0.9, "--json",
    )  # fmt: skip
    done = eh.envy.audit(
        "likes.parquet", "shown.parquet", groups="people.parquet", group="gender", epsilon=0.1, gamma=0.2,
        tolerance=0.3, top=2, level=0.9,
    )  # fmt: skip
    assert findings(ran) == done.findings
    assert set(eh.AuditResult.from_json(ran.out).inputs) == {"preferences", "policies", "users"}


def test_a_softmax_of_the_preferences(evenhand, tables):
    likes = pd.read_parquet("likes.parquet")
    likes[likes["preference"] > 0.5].to_parquet("some.parquet", index=False)
    words = ("--inverse-temperature", 4, "--missing", 0.1, "--json")
    ran = evenhand("envy", "offline", "--preferences", "some.parquet", *words)
    done = eh.envy.audit("some.parquet", inverse_temperature=4, missing=0.1)
    assert findings(ran) == done.findings


def test_a_sample_with_a_seed(evenhand, tables):
    ran = evenhand(*TABLES, "--sample", "20,10", "--seed", 5, "--json")
    done = eh.envy.audit("likes.parquet", "shown.parquet", sample=(20, 10), rng=5)
    assert findings(ran) == done.findings


def test_a_model_is_the_preferences_or_makes_the_policies(evenhand, tables):
    likes = pd.read_parquet("likes.parquet")
    rows = Interactions.from_frame(likes.loc[likes["preference"] > 0.6, ["user_id", "item_id"]])
    model, _ = fit("popularity", rows, rows, 0)
    save(tables / "model", model, name="popularity", history=rows, description={})
    words = ("--model", "model", "--inverse-temperature", 2, "--json")
    alone = evenhand("envy", "offline", *words)
    assert findings(alone) == eh.envy.audit("model", inverse_temperature=2).findings
    likes = likes[likes["user_id"].isin(model.user_ids) & likes["item_id"].isin(model.item_ids)]
    likes.to_parquet("likes.parquet", index=False)
    both = evenhand("envy", "offline", "--preferences", "likes.parquet", *words)
    assert findings(both) == eh.envy.audit("likes.parquet", "model", inverse_temperature=2).findings


def test_a_report_and_a_gate(evenhand, tables, tmp_path):
    ran = evenhand(*TABLES, "--tolerance", 0, "--title", "Who envies whom", "--out", tmp_path / "out")
    assert (ran.code, ran.err) == (0, "")
    assert "Would users be better off with another" in ran.out
    assert "<h1>Who envies whom</h1>" in (tmp_path / "out" / "report.html").read_text()
    assert evenhand(*TABLES, "--tolerance", 0, "--fail-on", "violation", "--quiet").code == 1


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "an envy audit needs preferences: a table of them, or a model (on"),
        (
            ("--preferences", "likes.parquet"),
            "of a softmax over the preferences (on the command line --policies or",
        ),
        (("--model", "here"), "of a softmax over the scores of the model (on the command"),
        (("--model", "here", "--inverse-temperature", 1), "not the folder of a trained model"),
        (("--model", "here", "--inverse-temperature", 1, "--missing", 0), "a model scores every pair."),
        ((*TABLES[2:], "--model", "here"), "both tables, so leave the model out."),
        ((*TABLES[2:], "--inverse-temperature", 1), "(on the command line --inverse-temperature) out."),
        (("--preferences", "none.parquet", "--inverse-temperature", "1"), "there is no file 'none.parquet'"),
        (("--preferences", "shown.parquet", "--inverse-temperature", 1), "there is no column 'preference'"),
        (("--preferences", "likes.parquet", "--policies", "likes.parquet"), "no column 'probability'"),
        (
            (*TABLES[2:], "--group", "gender"),
            "group is a column of users, so say which table they are in (users,",
        ),
        (
            (*TABLES[2:], "--users", "people.parquet"),
            "so say which column (group, on the command line --group).",
        ),
        ((*TABLES[2:], "--users", "people.parquet", "--group", "age"), "there is no column 'age'"),
        ((*TABLES[2:], "--sample", "20"), "--sample"),
        (
            (*TABLES[2:], "--sample", "20,x"),
            "--sample is '20,x', but must be whole numbers with commas between.",
        ),
        ((*TABLES[2:], "--sample", "20,1"), "--sample is [20, 1], but must be two whole numbers"),
        ((*TABLES[2:], "--sample", "20,10", "--gamma", 0), "gamma is 0, but whether a single policy"),
        ((*TABLES[2:], "--epsilon", -1), "--epsilon"),
        ((*TABLES[2:], "--gamma", 2), "--gamma"),
        ((*TABLES[2:], "--tolerance", 2), "--tolerance"),
        ((*TABLES[2:], "--top", -1), "--top"),
        ((*TABLES[2:], "--level", 1), "--level"),
    ],
)
def test_options_that_cannot_be_used(refused, tables, words, says):
    assert says in refused("envy", "offline", *words)


# Simulated


def test_simulated_audits_are_those_of_the_call(evenhand):
    ran = evenhand(*SIMULATE, "--delay", "random", "--longest", 4, "--missing", 0.1, "--seed", 2, "--json")
    given = {"alpha": 0.5, "epsilon": 0.3, "delay": "random", "longest": 4, "missing": 0.1, "rng": 2}
    done = eh.envy.simulate([0.6, 0.2, 0.3], 20, **given)
    found = eh.AuditResult.from_json(ran.out)
    assert (ran.code, ran.err) == (0, "")
    assert found.seed == 2
    assert found.find("audit_duration").estimate == np.median(done.durations)
    assert found.find("audit_cost").estimate == pytest.approx(done.costs.mean())
    assert found.find("broken_constraint").estimate == np.mean(~done.held)
    assert found.find("decided_audits").details["no_envy"] == done.share("no_envy")


@pytest.mark.parametrize(
    ("words", "given"),
    [
        (("--design", "unpaired"), {"design": "unpaired"}),
        (("--bound", "lil"), {"bound": "lil", "design": "unpaired"}),
        (("--missing", 0.1, "--unreported", "worst"), {"missing": 0.1, "unreported": "worst"}),
    ],
)
def test_the_design_and_what_is_missing_are_those_of_the_call(evenhand, words, given):
    ran = evenhand(*SIMULATE, *words, "--json")
    done = eh.envy.simulate([0.6, 0.2, 0.3], 20, alpha=0.5, epsilon=0.3, **given)
    found = eh.AuditResult.from_json(ran.out).find("audit_duration")
    assert found.estimate == np.median(done.durations)
    stays = "Mean rewards do not change while the audit lasts." in found.assumptions[0]
    assert stays is (given.get("design") == "unpaired")


def test_what_is_printed(evenhand):
    ran = evenhand(*SIMULATE)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(
        "20 audits: envy 0%, no_envy 100%, inconclusive 0%.\nHalf of the audits end within "
    )
    assert "The constraint on that cost held at every step in 100.0% of the audits, and 0.0% of" in ran.out
    assert evenhand(*SIMULATE, "--quiet").out == ""


def test_the_headline_of_simulations(evenhand, tmp_path):
    """They are about the audit; nobody asked whether a system is fair."""
    evenhand(*SIMULATE, "--out", tmp_path / "done")
    opening = first_screen(tmp_path / "done")
    assert "fair" not in opening
    assert "it judges no system" in opening
    evenhand(*SIMULATE, "--budget", 5, "--out", tmp_path / "short")
    assert "0% of simulated audits came to a decision" in first_screen(tmp_path / "short")
    evenhand(*PLAN, "--out", tmp_path / "plan")
    assert "it judges no system" in first_screen(tmp_path / "plan")


def first_screen(folder):
    (header,) = parsed((folder / "report.html").read_text()).all("header")
    return words(header)


def test_a_report_with_pictures(evenhand, tmp_path):
    ran = evenhand(*SIMULATE, "--out", tmp_path / "out")
    assert ran.out.endswith(f"Report: {tmp_path / 'out' / 'report.html'}\n")
    page = (tmp_path / "out" / "report.html").read_text()
    assert page.count("<figcaption") == 2
    assert eh.AuditResult.load(tmp_path / "out").scope["mean rewards"] == "0.6 (own), 0.2, 0.3"
    again = evenhand(*SIMULATE, "--out", tmp_path / "again")
    assert again.code == 0
    for name in ("findings.json", "report.html"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "again" / name).read_bytes()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--means", ".6"), "means needs at least two numbers: the user's own policy, then every other."),
        (("--means", ".6,1.2"), "means[1] is 1.2, but mean rewards are from 0 to 1."),
        (("--means", "-.1,.2"), "means[0] is -0.1, but mean rewards are from 0 to 1."),
        (("--means", ".6,nan"), "means[1] is nan, but mean rewards are from 0 to 1."),
        (("--means", ".6;.3"), "--means is '.6;.3', but must be numbers with commas between."),
        (("--alpha", 0), "--alpha is 0, but must be a finite number above 0 and at most 1"),
        (("--epsilon", 0), "--epsilon is 0, but must be a finite number above 0 and below 1: no reward"),
        (("--delta", 0.5), "--delta is 0.5, but must be a finite number above 0 and below 0.5: an audit"),
        (("--delta", 0), "--delta is 0, but must be a finite number above 0"),
        (("--runs", 0), "runs is 0, but must be a whole number from 1 to 10,000,000."),
        (("--budget", 0), "budget is 0, but must be a whole number from 1 to 1,000,000,000,000,000."),
        (("--bound", "tight"), "bound is 'tight', but must be one of mixture, lil."),
        (("--choice", "best"), "choice is 'best', but must be one of adaptive, uniform."),
        (("--design", "crossed"), "design is 'crossed', but must be one of blocks, unpaired."),
        (("--design", "blocks", "--bound", "lil"), "leave design (--design) out, or say 'unpaired'."),
        (("--unreported", "zero"), "unreported is 'zero', but must be one of compare, worst."),
        (("--rewards", "normal"), "rewards is 'normal', but must be one of bernoulli, beta, mean."),
        (("--delay", "slow"), "delay is 'slow', but must be one of none, random, bad_late, good_late."),
        (("--longest", -1), "longest is -1, but must be a whole number"),
        (("--delay", "random"), "delay is 'random', but longest is 0, so that no reward would be late"),
        (("--missing", 2), "--missing is 2, but must be a finite number from 0 to 1 (2% is 0.02)."),
        (("--certificate", ""), "--certificate is '', but must be the path of a folder."),
        (("--seed", -1), "--seed"),
    ],
)
def test_simulations_that_cannot_be_run(refused, words, says):
    assert says in refused(*instead(SIMULATE, words))


def test_a_file_where_the_certificate_should_go(refused, tmp_path):
    (tmp_path / "taken").write_text("mine")
    assert "cannot be written to (it is a file)" in refused(*SIMULATE, "--certificate", tmp_path / "taken")


# Planned


def test_planned_audits_are_those_of_the_call(evenhand, tmp_path):
    words = (*PLAN, "--alpha", 0.3, "--alpha", 0.5, "--seed", 1, "--design", "unpaired")
    words = (*words, "--out", tmp_path / "out")
    ran = evenhand(*words, "--json")
    done = eh.envy.plan(0.6, [-0.4, 0.3], [0.3, 0.5], 10, 1, epsilon=0.3, design="unpaired")
    found = eh.AuditResult.from_json(ran.out)
    assert (ran.code, ran.err) == (0, "")
    for row in done:
        assert found.find("planned_duration", alpha=row.alpha).estimate == row.duration
        assert found.find("planned_cost", alpha=row.alpha).estimate == row.cost
    assert found.find("shortest_audit").estimate == min(row.duration for row in done)
    assert (tmp_path / "out" / "report.html").read_text().count("<figcaption") == 2


def test_the_table_has_a_row_for_each_alpha(evenhand):
    lines = evenhand(*PLAN).out.splitlines()
    assert lines[2].split()[:2] == ["alpha", "median"]
    assert [line.split()[0] for line in lines[3:]] == ["0.02", "0.05", "0.1", "0.2", "0.3", "0.4", "0.5"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--gap", 0.6), "gaps[2] is 0.6: with a baseline of 0.6 the mean reward would not be from 0 to 1."),
        (("--baseline", 1.5), "baseline is 1.5, but must be a finite number from 0 to 1."),
        (("--alpha", 0), "--alpha is 0, but must be a finite number above 0 and at most 1"),
        (("--runs", 0), "runs is 0, but must be a whole number from 1 to 10,000,000."),
        (("--gap", "big"), "--gap"),
    ],
)
def test_plans_that_cannot_be_made(refused, words, says):
    assert says in refused(*instead(PLAN, words))


def test_a_plan_needs_another_policy(refused):
    assert "Missing option '--gap'" in refused("envy", "plan", "--baseline", 0.6)


# Certificates


def test_a_certificate_holds(evenhand, certified):
    ran = evenhand("envy", "verify", certified / "certificate.json")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("The certificate holds: the ")
    assert "with the outcome no_envy.\nNo other policy tried would give the user more than 0.3" in ran.out
    assert "It assumes:\n- The level of rewards may move, as long as it moves by the same amount" in ran.out
    assert "\nIt does not show that this happened, who made it, or that no other audit was made" in ran.out
    assert ran.out.endswith("Not checked, as the log has nothing to check it by: settings.drift, software.\n")
    assert evenhand("envy", "verify", certified / "certificate.json", "--quiet").out == ""
    told = json.loads(evenhand("envy", "verify", certified / "certificate.json", "--json").out)
    assert told["holds"] is True
    assert told["outcome"] == "no_envy"
    assert 0 < told["exploring_share"] <= 0.6
    assert told["cost_at_most"] > told["cost"]


def test_the_certificate_of_a_system_holds(evenhand, tmp_path):
    system, log = eh.envy.SystemAudit(["ann", "bob"], epsilon=0.3, alpha=0.5, rng=0), []
    system.listener = lambda user, event: log.append((user, event))
    while system.outcome is None:
        for user in system.waiting:
            policy_of = system.next(user)
            system.observe(user, policy_of, policy_of == user)
    path = eh.envy.save_certificate(system, log, tmp_path)
    ran = evenhand("envy", "verify", path)
    assert (ran.code, ran.err) == (0, "")
    assert " give the same audit of 2 users of " in ran.out
    assert "nothing to check it by: settings.drift, software, population_digest." in ran.out
    told = json.loads(evenhand("envy", "verify", path, "--json").out)
    assert (told["kind"], told["not_checked"]) == (
        "envy of a system",
        ["settings.drift", "software", "population_digest"],
    )


def salted(log):
    """As a live service logs it: who it is first, a salt an event; and the chain of each user."""
    lines, chains = [], {}
    for user, event in [*((user, ["person", user]) for user in {user: 0 for user, _ in log}), *log]:
        count, head = chains.get(user, (0, ""))
        chains[user] = count + 1, grown(head, leaf_of(event, b"salt"))
        lines.append([user, event, b"salt".hex()])
    return lines, chains


def test_a_certificate_of_whose_people_some_were_deleted(evenhand, tmp_path):
    system, log = eh.envy.SystemAudit(["ann", "bob"], epsilon=0.3, alpha=0.5, rng=0), []
    system.listener = lambda user, event: log.append((user, event))
    while system.outcome is None:
        for user in system.waiting:
            policy_of = system.next(user)
            system.observe(user, policy_of, policy_of != user if user == "ann" else 0.5)
            if system.outcome is not None:
                break
    lines, chains = salted(log)
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps(eh.envy.certificate(system, chains)))

    def verified(gone, *more):
        left = [[u, None, leaf_of(e, b"salt")] if u == gone else [u, e, s] for u, e, s in lines]
        (tmp_path / "certificate.events.jsonl").write_text("".join(json.dumps(one) + "\n" for one in left))
        return evenhand("envy", "verify", path, *more)

    ran = verified(None)
    assert ran.code == 0
    assert (
        f": the {len(lines):,} events of its log give the same audit of 2 users of {system.step} " in ran.out
    )
    assert f"\n{len(log):,} of these events were run again. The others decide nothing" in ran.out
    assert json.loads(verified(None, "--json").out)["events"]["count"] == len(lines)
    ran = verified("bob")
    assert ran.code == 0
    assert f" give the same audit of 1 of 2 users of {system.step} steps, with the outcome envy." in ran.out
    assert "what 1 deleted user did and their outcome (linked, not replayable)." in ran.out
    ran = verified("ann")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        f"Error: The certificate and its log of {len(lines):,} events agree about the 1 of 2 users whose "
        "events are there, but the outcome envy cannot be checked: it rests on 1 user who was deleted, of "
        "whom only hashes are left.\n"
    )


def test_events_elsewhere(evenhand, certified):
    log = (certified / "certificate.events.jsonl").rename(certified / "log.jsonl")
    ran = evenhand("envy", "verify", certified / "certificate.json")
    assert ran.code == 2
    assert "There is no event log" in ran.err
    assert evenhand("envy", "verify", certified / "certificate.json", "--events", log).code == 0


def changed(folder, name, change):
    path = folder / name
    lines = path.read_text().splitlines()
    path.write_text("\n".join(change(lines)) + "\n")


@pytest.mark.parametrize(
    ("name", "change", "says"),
    [
        (
            "certificate.json",
            lambda lines: [line.replace('"no_envy"', '"envy"') for line in lines],
            'disagree about outcome: outcome is "envy" in the certificate, but "no_envy" by the log.',
        ),
        (
            "certificate.json",
            lambda lines: [line.replace('"alpha": 0.5', '"alpha": 0') for line in lines],
            "alpha is 0, but must be a finite number above 0",
        ),
        (
            "certificate.json",
            lambda lines: [line.replace('"arms": 2', '"arms": 0') for line in lines],
            "arms is 0, but must be a whole number from 1 to 1,000,000.",
        ),
        (
            "certificate.json",
            lambda lines: [line.replace('"schema": 5', '"schema": 9') for line in lines],
            "This is a certificate of schema 9, but 5 is needed.",
        ),
        (
            "certificate.json",
            lambda lines: [line for line in lines if "software" not in line],
            "The certificate does not say which software made it",
        ),
        (
            "certificate.json",
            lambda lines: [lines[0], '  "outcome": "envy",', *lines[1:]],
            "The certificate has the field 'outcome' twice.",
        ),
        ("certificate.json", lambda lines: lines[:-1], "is not a certificate: it is not JSON"),
        ("certificate.json", lambda lines: ["[1, 2]"], "This is not a certificate of an audit"),
        ("certificate.json", lambda lines: ['{"schema": 1}'], "This is not a certificate of an audit"),
        ("certificate.events.jsonl", lambda lines: lines[:-1], "The log ends before the outcome"),
        ("certificate.events.jsonl", lambda lines: lines[:-2], "disagree about outcome, meaning"),
        (
            "certificate.events.jsonl",
            lambda lines: [lines[0], '["deliver",[[1,1.5]]]', *lines[2:]],
            "Event 2 of the log is not possible: reward is 1.5, but must be a finite number from 0 to 1.",
        ),
        (
            "certificate.events.jsonl",
            lambda lines: ['["assign",1,2,null,null,[2,0]]', *lines[1:]],
            "Event 1 of the log assigns arm 2, but these events make it arm 0.",
        ),
        ("certificate.events.jsonl", lambda lines: [*lines, lines[0]], "is not possible: The audit is over"),
        ("certificate.events.jsonl", lambda lines: ["{", *lines], "Line 1 of "),
        ("certificate.events.jsonl", lambda lines: ["", *lines], "Line 1 of "),
        ("certificate.events.jsonl", lambda lines: ["7", *lines], "Event 1 of the log cannot be read"),
    ],
)
def test_what_was_changed_is_found_out(evenhand, certified, name, change, says):
    changed(certified, name, change)
    ran = evenhand("envy", "verify", certified / "certificate.json")
    unreadable = any(
        word in says for word in ("schema 9", "is not a certificate", "not a certificate of", "Line 1")
    )
    assert (ran.code, ran.out) == (2 if unreadable else 1, "")
    assert ran.err.startswith("Error: ")
    assert says in ran.err
    assert ran.err.count("\n") == 1
    assert ran.err.endswith(".\n")


def test_an_empty_line_at_the_end_of_a_log_changes_nothing(evenhand, certified):
    changed(certified, "certificate.events.jsonl", lambda lines: [*lines, ""])
    assert evenhand("envy", "verify", certified / "certificate.json").code == 0


def test_a_certificate_that_decides_nothing_says_so(evenhand, tmp_path):
    auditor, log = eh.envy.Auditor(arms=2, alpha=0.5, rng=0), []
    auditor.listener = log.append
    auditor.observe(auditor.next(), 1.0)
    auditor.end("The feature is withdrawn.")
    ran = evenhand("envy", "verify", eh.envy.save_certificate(auditor, log, tmp_path))
    assert ran.code == 0
    assert "with the outcome inconclusive: nothing was decided, and nothing is certified.\n" in ran.out


def test_one_changed_reward_is_found_out(evenhand, certified):
    """Even the last one, which changes no choice of an arm any more."""

    def other_reward(lines):
        kind, ((number, reward),) = json.loads(lines[-2])
        return [*lines[:-2], json.dumps([kind, [[number, 1 - reward]]]), lines[-1]]

    changed(certified, "certificate.events.jsonl", other_reward)
    ran = evenhand("envy", "verify", certified / "certificate.json")
    assert ran.code == 1
    assert "do not make it 'no_envy'" in ran.err or "disagree about" in ran.err


def test_a_population_of_millions_is_refused_at_once(evenhand, tmp_path):
    """Nothing of its size is made on the way: this one would take terabytes."""
    system, log = eh.envy.SystemAudit(range(300), epsilon=0.3, alpha=0.5, gamma=0.3, lambda_=0.3, rng=0), []
    path = eh.envy.save_certificate(system, log, tmp_path)
    assert evenhand("envy", "verify", path).code == 0
    document = json.loads(path.read_text())
    for criterion in ("probabilistic", "exact"):
        document["settings"]["criterion"] = criterion
        path.write_text(json.dumps(document | {"population": 10**12}))
        assert evenhand("envy", "verify", path).code == 1


def test_certificates_that_are_not_there(evenhand, tmp_path):
    for place, says in ((tmp_path / "none.json", "There is no certificate"), (tmp_path, "cannot be read")):
        ran = evenhand("envy", "verify", place)
        assert (ran.code, ran.out) == (2, "")
        assert says in ran.err


def test_help_lists_the_commands(evenhand):
    ran = evenhand("envy", "--help")
    assert (ran.code, ran.err) == (0, "")
    for command in ("offline", "simulate", "plan", "verify"):
        assert f"\n  {command} " in ran.out
    assert "\n  envy " in evenhand("--help").out
