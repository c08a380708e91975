"""`evenhand annex`: from a saved result to a file for an auditor."""

from __future__ import annotations

import json
import re
import shutil
from hashlib import sha256

import pytest


@pytest.fixture
def saved(evenhand, logs):
    ran = evenhand(
        "opportunity", "--default", "default.parquet", "--random", "random.parquet", "--label", "liked",
        "--group", "creator_age", "--cluster", "user_id", "--out", "audit", "--quiet",
    )  # fmt: skip
    assert ran.code == 0
    return logs / "audit"


def test_an_annex_is_printed_or_written(evenhand, saved):
    printed = evenhand("annex", "ll144", "audit")
    assert printed.code == 0
    assert "### Impact ratios" in printed.out
    assert sha256((saved / "findings.json").read_bytes()).hexdigest() in printed.out
    written = evenhand("annex", "ll144", "audit/findings.json", "--out", "given")
    assert written.code == 0
    assert "given/annex-ll144.md" in written.out
    assert (saved.parent / "given" / "annex-ll144.md").read_text(encoding="utf-8") == printed.out


def test_the_plan_in_an_annex_gives_the_same_findings_again(evenhand, saved):
    told = evenhand("annex", "dsa", "audit").out
    plan = told.partition("```toml\n")[2].partition("\n```")[0]
    (saved.parent / "again.toml").write_text(plan, encoding="utf-8")
    assert evenhand("audit", "again.toml", "--out", "again", "--quiet").code == 0
    first, again = (
        json.loads((folder / "findings.json").read_bytes()) for folder in (saved, saved.parent / "again")
    )
    for part in ("questions", "findings", "inputs", "seed"):
        assert again[part] == first[part]


@pytest.mark.parametrize(
    "options",
    [(), ("--compare", "audit"), ("--only", "first", "--min-cell", 0, "--seed", 7, "--together")],
    ids=["alone", "compared", "with options"],
)
def test_the_command_in_an_annex_gives_the_file_whose_digest_it_has(evenhand, saved, options):
    """Also where the result was held against an earlier one, which the auditor does not have."""
    told = evenhand("annex", "dsa", "audit").out
    plan = told.partition("```toml\n")[2].partition("\n```")[0]
    (saved.parent / "audit.toml").write_text(plan, encoding="utf-8")
    if "--only" in options:
        step = plan[plan.index("[[audits]]") :].replace("level = 0.95", "level = 0.9")
        plan += f'\nname = "first"\n\n{step}\nname = "second"\n'
        (saved.parent / "audit.toml").write_text(plan, encoding="utf-8")
    assert evenhand("audit", "audit.toml", "--out", "now", "--quiet", *options).code == 0
    told = evenhand("annex", "dsa", "now").out
    (command,) = set(re.findall(r"`evenhand (audit [^`]*)`", told))
    assert evenhand(*command.split(), "--quiet").code == 0
    assert sha256((saved.parent / "again" / "findings.json").read_bytes()).hexdigest() in told


def test_of_a_plan_with_a_file_a_day_the_command_has_the_days(evenhand, saved):
    told = evenhand("annex", "dsa", "audit").out
    plan = told.partition("```toml\n")[2].partition("\n```")[0]
    for name in ("default", "random"):
        for day in ("2026-01-03", "2026-01-04", "2026-01-05"):
            shutil.copy(saved.parent / f"{name}.parquet", saved.parent / f"{name}-{day}.parquet")
    plan = plan.replace('.parquet"', '-{day}.parquet"')
    (saved.parent / "audit.toml").write_text(plan, encoding="utf-8")
    days = ("--days", "2026-01-03..2026-01-04")
    assert evenhand("audit", "audit.toml", "--out", "now", "--quiet", *days).code == 0
    now = json.loads((saved.parent / "now" / "findings.json").read_bytes())
    assert now["plan"]["days"] == days[1]
    told = evenhand("annex", "dsa", "now").out
    of_file, of_annex = re.findall(r"`evenhand (audit [^`]*)`", told)
    assert evenhand(*of_file.split(), "--quiet").code == 0
    assert sha256((saved.parent / "again" / "findings.json").read_bytes()).hexdigest() in told
    # The plan in the annex names the files.
    plan = told.partition("```toml\n")[2].partition("\n```")[0]
    (saved.parent / "audit.toml").write_text(plan, encoding="utf-8")
    assert evenhand(*of_annex.split(), "--quiet").code == 0
    again = json.loads((saved.parent / "again" / "findings.json").read_bytes())
    assert again["findings"] == now["findings"]


def test_days_that_a_shell_would_obey_are_in_no_command(evenhand, saved):
    result = json.loads((saved / "findings.json").read_bytes())
    result["plan"]["days"] = "$(touch obeyed)"
    (saved / "findings.json").write_text(json.dumps(result), encoding="utf-8")
    told = evenhand("annex", "dsa", "audit").out
    assert "touch obeyed" not in told


def test_what_is_no_result_is_refused_in_a_sentence(evenhand, saved):
    for words, said in (
        (("annex", "gdpr", "audit"), "the kind of annex is 'gdpr', but must be one of dsa, ll144, ai-act."),
        (("annex", "dsa", "nowhere"), "nowhere/findings.json cannot be read"),
        (("annex", "dsa", "default.parquet"), "cannot be read"),
    ):
        ran = evenhand(*words)
        assert ran.code == 2
        assert said in ran.err
        assert ran.err.count("\n") == 1
