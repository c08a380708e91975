"""All mistakes of a plan are told at once, each with its line and what to do, and nothing is written."""

from __future__ import annotations

import re

import pandas as pd
import pytest

import evenhand as eh
from evenhand.errors import InputError
from evenhand.plan.checking.mistakes import PlanError

# Each line with a mistake ends with what must be said of it.
TEN = """\
sead = 1                                     #! sead is not a known key (did you mean 'seed'?)

[scope]
title = 3                                    #! scope.title is 3, but must be text

[labels]
gendr.F = "women"                            #! labels: no audit of this plan is about 'gendr'

[inputs.control]
path = "data/control.parquet"

[inputs.treatment]
path = "data/treatmnt.parquet"               #! treatment: there is no file '

[inputs.random]
path = "data/random.parquet"

[[audits]]
audit = "opportunity"
default = "contrl"                           #! names the input 'contrl', but there is no [inputs.contrl]
random = "random"
label = ["liked", "shared"]
group = "creator_age"
level = 1.5                                  #! audits.1.level is 1.5, but must be a finite number from 0.5

[[audits]]
audit = "compair"                            #! there is no audit 'compair' (did you mean 'compare'?)

[[audits]]
audit = "user_precision"
default = "control"
label = "liked"
group = "creator_ag"                         #! there is no column 'creator_ag'. Did you mean 'creator_age'?

[[audits]]
audit = "stages"
stages = { recall = "control", ranking = "control" }
random = "random"
label = "liked"
group = "creator_age"

[[audits]]                                   #! audits 4 and 5 (stages) are the same, so that
audit = "stages"
stages = { recall = "control", ranking = "control" }
random = "random"
label = "liked"
group = "creator_age"

[[audits]]                                   #! audits.6.group is missing; add the name of a column
audit = "parity"
default = "control"
catalogue = "random"
"""


def test_ten_mistakes_are_told_at_once(folder, tmp_path):
    plan = folder / "ten.toml"
    plan.write_text(TEN, encoding="utf-8")
    expected = [
        (number, line.partition("#! ")[2])
        for number, line in enumerate(TEN.splitlines(), start=1)
        if "#! " in line
    ]
    assert len(expected) == 10
    with pytest.raises(PlanError) as error:
        eh.plan.run(plan, tmp_path / "out")
    told = error.value.mistakes
    assert [line for line, _ in told] == [line for line, _ in expected]
    assert [said for (_, said), (_, words) in zip(told, expected, strict=True) if words not in said] == []
    head, *lines = str(error.value).splitlines()
    assert head == "ten.toml has 10 mistakes:"
    assert all(re.fullmatch(r"  line \d+: .*[.]", line) for line in lines)
    assert not (tmp_path / "out").exists()


# Each of these was hidden by another: by one of the same table, of the same step, or of its input.
HIDING = """\
[scope.attributes]
creator_ag = "why"                       #! no audit is about 'creator_ag', and no table has it (did you mean
[inputs.control]
path = "data/control.parquet"
columns = { person = "usr_id", day_ = "day" }   #! there is no column 'usr_id'. Did you mean 'user_id'?
where = { creator_age = "18-42", dya = 1 }   #! where: no row has creator_age = 18-42 & no column 'dya'
[inputs.random]
path = "data/random.parquet"
made.good = { column = "likd", at_least = 1 }   #! 'good' is made of 'likd', and there is no such column
[[audits]]
audit = "opportunity"
default = "control"
random = "random"
label = "lik"                                #! there is no column 'lik'. Did you mean 'liked'?
group = "creator_agee"                       #! there is no column 'creator_agee'. Did you mean 'creator_age'?
cluster = "person"
missing = "drop"                             #! one of refuse, group, exclude (did you mean 'exclude'?)
[[monitoring.flags]]
measure = "runing_penalty"               #! no look at a day has the measure 'runing_penalty' (did you mean
open_after = 0                               #! monitoring.flags.1.open_after is 0
tell = ["ops", "nobody"]                     #! tell names 'nobody', but no [[monitoring.tell]] is called so
[[monitoring.tell]]                      #! secret_from is missing; add it: environment variable that holds
by = "webhook"
name = "ops"
url = "http://example.org/?token=1"          #! begins with http:// & after a '?'
[[monitoring.tell]]
by = "email"
host = "mail.example.org"
security = "none"                            #! is another machine & 'me' of the e-mail & 'you' of the e-mail
sender = "me"
to = ["you"]
[monitoring]
day = "dya"                                  #! monitoring.day names the column 'dya', and no table has it
"""


def test_no_mistake_hides_another(folder):
    plan = folder / "hiding.toml"
    plan.write_text(HIDING, encoding="utf-8")
    expected = {
        number: line.partition("#! ")[2].split(" & ")
        for number, line in enumerate(HIDING.splitlines(), start=1)
        if "#! " in line
    }
    with pytest.raises(PlanError) as error:
        eh.plan.load(plan)
    told: dict[int, str] = {}
    for number, said in error.value.mistakes:
        told[number] = f"{told.get(number, '')} {said}"
    assert told.keys() == expected.keys()
    assert [said for number, parts in expected.items() for said in parts if said not in told[number]] == []


# An engine that nobody knows, and a zone that is none, hide nothing of the tables; a wrong list of a channel
# hides nothing of the flags.
HIDING_MORE = """\
engine = "sparkk"                            #! engine 'sparkk' is not known
[inputs.control]
path = "data/control.parquet"
where = { creator_age = "18-42" }            #! where: no row has creator_age = 18-42
[inputs.random]
path = "data/random.parquet"
timezone = "Europe/Berln"                    #! timezone is 'Europe/Berln', but must be the name of a zone
folders = true                               #! folders are to be columns
made.good = { column = "likd", at_least = 1 }   #! 'good' is made of 'likd', and there is no such column
[[audits]]
audit = "opportunity"
default = "control"
random = "random"
label = "lik"                                #! there is no column 'lik'. Did you mean 'liked'?
group = "creator_age"
[[monitoring.flags]]                         #! 2 flags of [monitoring] are called 'running_penalty'
measure = "running_penalty"
[[monitoring.flags]]
measure = "running_penalty"
[[monitoring.tell]]
by = "email"
host = "mail.example.org"
sender = "rai@example.org"
to = []                                      #! monitoring.tell.1.to is [], but must be a list of 1 to 50
[[monitoring.tell]]
by = "command"
run = []                                     #! monitoring.tell.2.run is [], but must be a list of a program
"""


def test_a_part_that_cannot_be_used_hides_no_other(folder):
    plan = folder / "more.toml"
    plan.write_text(HIDING_MORE, encoding="utf-8")
    expected = {
        number: line.partition("#! ")[2]
        for number, line in enumerate(HIDING_MORE.splitlines(), start=1)
        if "#! " in line
    }
    with pytest.raises(PlanError) as error:
        eh.plan.load(plan)
    told = dict(error.value.mistakes)
    assert len(told) == len(error.value.mistakes)
    assert told.keys() == expected.keys()
    assert [said for number, said in expected.items() if said not in told[number]] == []
    assert "?." not in str(error.value)


def test_a_wrong_list_of_a_channel_hides_nothing_of_it(plan):
    path = plan(
        "[inputs.control]",
        "[[monitoring.tell]]\nby = 'email'\nhost = 'mail.example.org'\nsender = 'me'\nto = []\n"
        "[[monitoring.flags]]\nmeasure = 'running_penalty'\n[inputs.control]",
    )
    with pytest.raises(PlanError) as error:
        eh.plan.load(path)
    (_, sender), (_, to) = error.value.mistakes
    assert sender.startswith("'me' of the e-mail 'email' is no address")
    assert to.startswith("monitoring.tell.1.to is [], but must be a list of 1 to 50 addresses")


# A wrong name of an input, and folders that are none, hide no column of the same audit.
BESIDE = """\
[inputs.control]
path = "data/control.parquet"
folders = FOLDERS
[inputs.random]
path = "data/random.parquet"
[[audits]]
audit = "opportunity"
default = "control"
random = "randon"
label = "liked"
group = "creator_agee"
[[audits]]
audit = "user_precision"
default = "control"
label = "lik"
group = "creator_age"
tolerance = "0.1"
"""


@pytest.mark.parametrize(
    ("folders", "said"),
    [("true", "folders are to be columns"), ('"yes"', "'yes', but must be true or false")],
)
def test_an_input_that_is_wrong_hides_no_column(folder, folders, said):
    plan = folder / "beside.toml"
    plan.write_text(BESIDE.replace("FOLDERS", folders), encoding="utf-8")
    with pytest.raises(PlanError) as error:
        eh.plan.load(plan)
    told = dict(error.value.mistakes)
    assert list(told) == [3, 9, 11, 15, 17]
    assert said in told[3]
    assert "names the input 'randon'" in told[9]
    assert "audit 1 (opportunity): random: there is no column 'creator_agee'" in told[11]
    assert "audit 2 (user_precision): control: there is no column 'lik'" in told[15]
    assert told[17].endswith("above 0 and below 1; write it without quotation marks")


def test_a_column_of_another_table_is_told_of_that_table(folder):
    pd.DataFrame({"user_id": ["u1"], "born": ["31/12/1970"]}).to_parquet(folder / "data" / "people.parquet")
    plan = folder / "born.toml"
    plan.write_text(
        '[inputs.control]\npath = "data/control.parquet"\n[inputs.people]\npath = "data/people.parquet"\n'
        '[[audits]]\naudit = "user_precision"\ndefault = "control"\nlabel = "liked"\ngroup = "born"\n'
        'attributes = "people"\non = "user_id"\nbins = { born = [1970, 1990] }\n',
        encoding="utf-8",
    )
    with pytest.raises(InputError, match="people: column 'born' is of type string, but bins are for numbers"):
        eh.plan.run(plan)


def test_what_only_the_tables_can_tell_is_told_at_once_too(plan, tmp_path):
    path = plan("data/treatment.parquet", "data/nothing.parquet")
    text = path.read_text(encoding="utf-8").replace('cluster = "user_id"', 'cluster = "userid"')
    path.write_text(text.replace('"liked", "shared"', '"like", "shared"'), encoding="utf-8")
    with pytest.raises(PlanError) as error:
        eh.plan.run(path, tmp_path / "out")
    told = dict(error.value.mistakes)
    assert list(told) == [11, 20, 22]
    assert "there is no file" in told[11]
    assert "'like'" in told[20]
    assert "'userid'" in told[22]
    assert not (tmp_path / "out").exists()


def test_a_wrong_key_does_not_hide_a_column_that_is_not_there(plan):
    path = plan('label = "liked"\ngroup = "creator_age"', 'labl = "liked"\ngroup = "creator_ag"')
    with pytest.raises(PlanError) as error:
        eh.plan.load(path)
    assert [line for line, _ in error.value.mistakes] == [28, 29]


def test_one_mistake_is_one_sentence(plan):
    with pytest.raises(PlanError, match=r"^audit\.toml, line 2: sead is not a known key .*\.$"):
        eh.plan.load(plan("seed = 1", "sead = 1"))


def test_what_is_wrong_with_the_frame_has_its_line(plan):
    path = plan(
        "[inputs.control]",
        "[identify]\nperiod = [2026-03-02, 2026-03-01]\n"
        "[[revisions]]\nwho = 'A'\nwhen = 'May'\n[inputs.control]",
    )
    with pytest.raises(PlanError) as error:
        eh.plan.load(path)
    (first, period), (second, what), (third, when) = error.value.mistakes
    assert (first, second, third) == (8, 9, 11)
    assert period == "period ends before it begins: 2026-03-02 is after 2026-03-01; swap them"
    assert what == "revisions.1.what is missing; add it: what changed, and why"
    assert when == "revisions.1.when is 'May', but must be a date, such as 2026-03-01"


@pytest.mark.parametrize(
    ("given", "meant"),
    [("include", ""), ("drop", "exclude"), ("refused", "refuse"), ("ungroup", ""), ("Groups", "group")],
)
def test_a_guess_is_never_the_opposite(plan, given, meant):
    path = plan('label = "liked"', f'missing = "{given}"\nlabel = "liked"')
    with pytest.raises(PlanError, match="one of refuse, group, exclude") as error:
        eh.plan.load(path)
    assert str(error.value).endswith(f"(did you mean '{meant}'?)." if meant else "exclude.")


def test_a_missing_file_hides_no_mistake_of_the_keys_that_do_not_need_it(folder):
    pd.DataFrame({"user_id": ["u1"], "seg_cd": ["a"], "sz_cd": ["b"]}).to_parquet(
        folder / "data" / "u.parquet"
    )
    plan = folder / "hidden.toml"
    plan.write_text(
        'sead = 0\n[inputs.users]\npath = "data/u.parquet"\n[inputs.candidates]\npath = "data/gone.parquet"\n'
        '[[audits]]\naudit = "groups"\ncandidates = "candidates"\nusers = "users"\n'
        'attributes = ["seg_cdd"]\nmetric = "mrr"\n'
        '[[audits]]\naudit = "groups"\ncandidates = "candidates"\nusers = "users"\n'
        'attributes = ["seg_cd"]\nmetric = "mmr"\n',
        encoding="utf-8",
    )
    with pytest.raises(PlanError) as error:
        eh.plan.load(plan)
    told = dict(error.value.mistakes)
    assert list(told) == [1, 5, 10, 17]
    assert "there is no file" in told[5]
    assert told[10].startswith(
        "audit 1 (groups): users: there is no column 'seg_cdd'. Did you mean 'seg_cd'?"
    )
    assert told[17].startswith("audit 2 (groups): 'mmr' is neither a metric")


def test_no_name_is_suggested_that_no_table_has(folder):
    """A label that is wrong was said to be the wrong name of an audit, and a right one, too."""
    pd.DataFrame({"user_id": ["u1"], "sz_cd": ["b"], "liked": [1]}).to_parquet(folder / "data" / "u.parquet")
    plan = folder / "labelled.toml"
    plan.write_text(
        '[inputs.log]\npath = "data/u.parquet"\n'
        '[[audits]]\naudit = "user_precision"\ndefault = "log"\nlabel = "liked"\ngroup = "sz_code"\n'
        '[labels]\nsz_cdd.1 = "large"\nsz_cd.2 = "mid"\n',
        encoding="utf-8",
    )
    with pytest.raises(PlanError) as error:
        eh.plan.load(plan)
    told = dict(error.value.mistakes)
    assert list(told) == [7, 9]
    assert "there is no column 'sz_code'. Did you mean 'sz_cd'?" in told[7]
    assert told[9] == "labels: no audit of this plan is about 'sz_cdd' (did you mean 'sz_cd'?)"
