"""A plan is run as a whole: opened and checked first, then run, then written; equal runs are equal."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.errors import InputError
from evenhand.report.annex.render import render
from evenhand.report.words.agreed import limit_of

GROUP = 'group = "creator_age"'
CONTROL = 'path = "data/control.parquet"'
RANDOM = 'path = "data/random.parquet"'


def refused(plan: Path, tmp_path: Path) -> str:
    """The message of a plan that must not run, and leaves nothing behind."""
    with pytest.raises(InputError) as error:
        eh.plan.run(plan, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert "\n" not in str(error.value)
    return str(error.value)


def test_the_steps_are_the_calls(plan, data, folder):
    result = eh.plan.run(plan())
    files = {name: data / f"{name}.parquet" for name in ("control", "treatment", "random")}
    asked = {"group": "creator_age", "rng": 1}
    audit = eh.opportunity.audit(
        files["control"], files["random"], label=["liked", "shared"], cluster="user_id", **asked
    )
    arms = {arm: files[arm] for arm in ("control", "treatment")}
    compare = eh.opportunity.compare(arms, files["random"], label="liked", **asked)
    assert result.findings == audit.findings + compare.findings
    assert result.scope == {"title": "A small marketplace"}
    assert result.seed == 1
    # Tables are known by their names in the plan, and each is listed once.
    assert set(result.inputs) == {"control", "treatment", "random"}
    assert result.inputs["random"] == audit.inputs["random"]


def test_labels_are_kept_and_those_of_no_value_are_told(plan, tmp_path):
    labels = '[labels]\ncreator_age."18-24" = "the young"\ncreator_age.x = "nobody"\n\n[inputs.random]'
    plain, named = eh.plan.run(plan()), eh.plan.run(plan("[inputs.random]", labels), tmp_path / "out")
    assert named.labels == {"creator_age": {"18-24": "the young", "x": "nobody"}}
    assert [one.id for one in named.findings] == [one.id for one in plain.findings]
    (told,) = (
        one.warnings[-1] for one, other in zip(named.findings, plain.findings, strict=True) if one != other
    )
    assert told.startswith("Labels of the plan: no group has creator_age.x;")
    assert "labels" not in named.plan
    # The group stands in the logs, which do not say that it is of the creators.
    assert "Liked items of the young are shown" in (tmp_path / "out" / "report.html").read_text(
        encoding="utf-8"
    )


def test_paths_are_relative_to_the_plan(plan, folder, tmp_path, monkeypatch):
    plan()
    here = eh.plan.run(folder / "audit.toml", tmp_path / "here")
    monkeypatch.chdir(folder)
    beside = eh.plan.run("audit.toml", tmp_path / "beside")
    assert here == beside
    for name in ("findings.json", "report.html"):
        assert (tmp_path / "here" / name).read_bytes() == (tmp_path / "beside" / name).read_bytes()


def test_absolute_paths_and_homes_stay_as_they_are(plan, data, monkeypatch):
    expected = eh.plan.run(plan())
    assert eh.plan.run(plan(CONTROL, f'path = "{data}/control.parquet"')) == expected
    monkeypatch.setenv("HOME", str(data))
    assert eh.plan.run(plan(CONTROL, 'path = "~/control.parquet"')) == expected


def test_a_plan_made_in_python(plan, folder):
    path = plan()
    assert eh.plan.run(eh.plan.load(path), base=folder) == eh.plan.run(path)


def test_the_seed_of_the_caller_wins(plan):
    other = eh.plan.run(plan(), seed=9)
    assert other.seed == 9
    assert other.find("equality") == eh.plan.run(plan()).find("equality")


def test_columns_can_be_renamed_and_logs_listed(plan, world, folder):
    control = world.default_log[world.default_log["arm"] == "control"]
    (folder / "days").mkdir()
    for day, rows in enumerate((slice(0, 900), slice(900, None))):
        control[rows].rename(columns={"liked": "thumb"}).to_parquet(folder / "days" / f"{day}.parquet")
    listed = 'path = ["days/0.parquet", "days/1.parquet"]\ncolumns = { liked = "thumb" }'
    assert eh.plan.run(plan(CONTROL, listed)).findings == eh.plan.run(plan()).findings
    globbed = 'path = "days/*.parquet"\ncolumns = { liked = "thumb" }'
    assert eh.plan.run(plan(CONTROL, globbed)).findings == eh.plan.run(plan()).findings


def test_a_group_joined_from_the_items(plan, folder, world):
    for log in ("default_log", "random_log"):
        frame = getattr(world, log).drop(columns="creator_age")
        frame.to_parquet(folder / f"{log}.parquet", index=False)
    (folder / "audit.toml").write_text(
        """
        [inputs]
        default = { path = "default_log.parquet" }
        random = { path = "random_log.parquet" }
        items = { path = "data/items.parquet" }
        [[audits]]
        audit = "opportunity"
        default = "default"
        random = "random"
        label = "liked"
        group = "creator_age"
        attributes = "items"
        on = "item_id"
        """,
        encoding="utf-8",
    )
    result = eh.plan.run(folder / "audit.toml")
    expected = eh.opportunity.audit(world.default_log, world.random_log, label="liked", group="creator_age")
    # A column of the logs does not say whose groups it has; one that is found by the item does.
    alike = [
        one.amended(details={name: value for name, value in one.details.items() if name != "groups_of"})
        for one in expected.findings
    ]
    assert list(result.findings) == alike


def test_progress_says_what_is_being_done(plan, tmp_path):
    said: list[str] = []
    eh.plan.run(plan(), tmp_path / "out", progress=said.append)
    assert said[0] == "opening tables"
    assert "audit 1 of 2, opportunity: counting control" in said
    assert "audit 2 of 2, compare: counting treatment" in said
    assert said[-1] == "writing the report"


def test_the_journal_has_the_times_and_the_places(plan, data, tmp_path):
    eh.plan.run(plan(), tmp_path / "out")
    journal = (tmp_path / "out" / "run.log").read_text(encoding="utf-8")
    assert f"input random: {(data / 'random.parquet').resolve()}" in journal
    assert " s  audit 2 of 2, compare" in journal


def test_the_journal_names_a_file_once_that_several_inputs_read(plan, data, tmp_path):
    """Default and random traffic may be rows of the same hundreds of files."""
    again = 'title = "A small marketplace"\n[inputs.again]\npath = "data/random.parquet"'
    eh.plan.run(plan('title = "A small marketplace"', again), tmp_path / "out")
    journal = (tmp_path / "out" / "run.log").read_text(encoding="utf-8")
    assert f"input again, random: {(data / 'random.parquet').resolve()}" in journal
    assert journal.count("random.parquet") == 1


# What can only be known when the tables are open


def test_two_logs_with_different_label_definitions(plan, tmp_path):
    path = plan(CONTROL, f'{CONTROL}\nlabel_definition = "liked in a day"')
    text = path.read_text(encoding="utf-8").replace(RANDOM, f'{RANDOM}\nlabel_definition = "liked ever"')
    path.write_text(text, encoding="utf-8")
    said: list[str] = []
    with pytest.raises(InputError):
        eh.plan.run(path, progress=said.append)
    assert said == ["opening tables"]  # found before a log was read
    message = refused(path, tmp_path)
    assert "control and random define the label differently ('liked in a day' and 'liked ever')" in message
    assert "use one definition" in message
    path.write_text(text.replace("liked ever", "liked in a day"), encoding="utf-8")
    assert eh.plan.run(path).findings == eh.plan.run(plan()).findings


def test_nothing_runs_before_all_is_checked(plan, tmp_path):
    said: list[str] = []
    path = plan('label = "liked"', 'label = "lked"')
    with pytest.raises(
        InputError, match=r"audit 2 \(compare\): control: there is no column 'lked'\. Did you"
    ):
        eh.plan.run(path, tmp_path / "out", progress=said.append)
    assert said == ["opening tables"]
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (CONTROL, 'path = "data/contrl.parquet"', "control: there is no file '"),
        (CONTROL, 'path = "data/day-*.parquet"', "control: no file matches '"),
        (CONTROL, 'path = "s3://bucket/x.parquet"', "control: s3:// addresses are not read directly"),
        (CONTROL, "path = []", "control: the list of paths is empty"),
        (
            CONTROL,
            f'{CONTROL}\ncolumns = {{ liked = "likd" }}',
            "control: there is no column 'likd'. Did you mean",
        ),
        ("seed = 1", 'seed = 1\nengine = "dukdb"', "engine 'dukdb' is not known"),
        ('label = ["liked", "shared"]', "label = []", "audit 1 (opportunity): label is empty"),
        (GROUP, f'{GROUP}\non = "item_id"', "audit 1 (opportunity): attributes and on belong together"),
    ],
)
def test_tables_that_do_not_fit_the_plan(plan, tmp_path, old, new, says):
    assert says in refused(plan(old, new), tmp_path)


def test_where_results_cannot_be_written(plan, tmp_path):
    said: list[str] = []
    (tmp_path / "taken").write_text("mine", encoding="utf-8")
    for out, why in (
        (tmp_path / "taken", "it is a file"),
        (tmp_path / "taken" / "a" / "b", "taken is a file"),
    ):
        with pytest.raises(InputError, match=rf"cannot be written to \({why}\); name another folder\."):
            eh.plan.run(plan(), out, progress=said.append)
    assert said == []  # found before anything was opened
    assert (tmp_path / "taken").read_text(encoding="utf-8") == "mine"


def test_a_folder_without_permission_is_found_early(plan, tmp_path, monkeypatch):
    monkeypatch.setattr("os.access", lambda *_: False)  # whoever runs the tests may be allowed everything
    assert "cannot be written to (Permission denied)" in refused(plan(), tmp_path)


def test_an_existing_folder_is_written_into(plan, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "notes.txt").write_text("mine", encoding="utf-8")
    eh.plan.run(plan(), tmp_path / "out")
    eh.plan.run(plan(), tmp_path / "out")
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {"notes.txt", "findings.json", "report.html", "run.log"}


@pytest.mark.parametrize(
    ("default", "random", "both"),
    [
        ('{ not = "explore" }', '"ranker_v3"', True),  # the ranker's rows, named as random traffic
        ("", '"explore"', True),  # random rows among the default ones
        ('["ranker_v3", "ranker_v4"]', '"explore"', False),
    ],
)
def test_default_and_random_traffic_have_no_rows_in_common(data, tmp_path, default, random, both):
    logs = [pd.read_parquet(data / f"{name}.parquet") for name in ("default", "random")]
    logs[0]["served_by"] = np.where(np.arange(len(logs[0])) % 4 == 0, "ranker_v4", "ranker_v3")
    logs[1]["served_by"] = "explore"
    pd.concat(logs).to_parquet(tmp_path / "log.parquet")
    where = [f"where = {{ served_by = {one} }}" if one else "" for one in (default, random)]
    (tmp_path / "audit.toml").write_text(
        f"""
[inputs.default]
path = "log.parquet"
{where[0]}
[inputs.random]
path = "log.parquet"
{where[1]}
[[audits]]
audit = "opportunity"
default = "default"
random = "random"
label = "liked"
group = "creator_age"
"""
    )
    if not both:
        assert eh.plan.run(tmp_path / "audit.toml").find("reo_penalty").estimate is not None
        return
    with pytest.raises(eh.InputError, match=r"rows of the file are in both 'default' and 'random'") as told:
        eh.plan.run(tmp_path / "audit.toml")
    rows = int((logs[0].served_by == "ranker_v3").sum()) if default else len(logs[1])
    assert f"{rows:,} rows" in str(told.value)


def test_rows_that_no_input_takes_are_told_in_the_report_and_in_the_log(data, tmp_path):
    """A new version of the ranker in a log whose plan names the old one."""
    default, random = (pd.read_parquet(data / f"{name}.parquet") for name in ("default", "random"))
    default["served_by"] = np.where(np.arange(len(default)) % 4 == 0, "ranker_v4", "ranker_v3")
    pd.concat([default, random.assign(served_by="explore")]).to_parquet(tmp_path / "log.parquet")
    said = {}
    for name, where in (("exactly", '"ranker_v3"'), ("others", '{ not = "explore" }')):
        (tmp_path / f"{name}.toml").write_text(
            f"""
[inputs.default]
path = "log.parquet"
where = {{ served_by = {where} }}
[inputs.random]
path = "log.parquet"
where = {{ served_by = "explore" }}
[[audits]]
audit = "opportunity"
default = "default"
random = "random"
label = "liked"
group = "creator_age"
"""
        )
        result = eh.plan.run(tmp_path / f"{name}.toml", tmp_path / name)
        told = [warning for one in result.findings for warning in one.warnings if "no input takes" in warning]
        log = (tmp_path / name / "run.log").read_text(encoding="utf-8")
        said[name] = (told, "no input takes" in log)
    ((told,), in_log) = said["exactly"]
    assert "default and random leave out 1,250 of 8,000 rows of their file" in told
    assert "served_by ranker_v4" in told
    assert in_log
    terminal = " ".join(str(eh.plan.run(tmp_path / "exactly.toml")).split())
    assert "No input takes 1,250 of the 8,000 rows of the file of default and random" in terminal
    assert said["others"] == ([], False)
    # What `not` takes is told, too: the next release may be an experiment.
    took = (
        "default takes several values, as its `where` says only what it leaves out (`not`): "
        "served_by ranker_v3 (3,750 rows), served_by ranker_v4 (1,250)"
    )
    terminal = " ".join(str(eh.plan.run(tmp_path / "others.toml")).split())
    assert took in terminal
    log = (tmp_path / "others" / "run.log").read_text(encoding="utf-8")
    assert "served_by ranker_v3 (3,750 rows) and served_by ranker_v4 (1,250)." in log


def test_a_limit_is_called_by_who_has_chosen_it_wherever_it_is_told(plan, tmp_path):
    """In findings.json, on the page, on the terminal and in the annex: nobody, `evenhand init`, or whoever
    wrote the plan."""
    for name, limit in (
        ("default", ""),
        ("proposed", "tolerance = 0.11  # CHECK: agree on it first\n"),
        ("agreed", "tolerance = 0.11\n"),
    ):
        file = plan('cluster = "user_id"\n', f'cluster = "user_id"\n{limit}')
        result = eh.plan.run(file, tmp_path / name, only=["opportunity"])
        page = (tmp_path / name / "report.html").read_text(encoding="utf-8")
        annex = render(result.document, "dsa", "").replace("\\", "")
        assert limit_of("opportunity", result.document) == f"{name} limit"
        for told in (page, " ".join(str(result).split())):
            assert ("nobody has agreed" in told) is (name != "agreed")
        assert ("(the default: the plan gives no number)" in annex) is (name == "default")
        assert result.plan.get("default_limits") == ([1] if name == "default" else None)
        assert ("\ntolerance" in annex.partition("```toml")[2]) is (name != "default")
