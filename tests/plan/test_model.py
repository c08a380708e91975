"""A plan is checked word by word: every mistake is one sentence that says where and what was meant."""

from __future__ import annotations

import os

import pytest

from evenhand.errors import InputError
from evenhand.plan import load

GROUP = 'group = "creator_age"'


def test_the_plan_itself_is_fine(plan):
    loaded = load(plan())
    assert loaded.seed == 1
    assert loaded.scope.title == "A small marketplace"
    assert [step.audit for step in loaded.audits] == ["opportunity", "compare"]
    assert loaded.audits[0].tolerance == pytest.approx(1 / 9)
    assert loaded.audits[1].tolerance is None


UNKNOWN_KEYS = [
    ("seed = 1", "sead = 1", "sead is not a known key (did you mean 'seed'?)."),
    ("seed = 1", "title = 'x'", "title is not a known key here: it belongs below [scope]."),
    ("title", "titel", "scope.titel is not a known key (did you mean 'title'?)."),
    (
        "path",
        "pth",
        "inputs.control.pth is not a known key (did you mean 'path'?).",
    ),
    (
        "label",
        "labl",
        "audits.1.labl is not a known key (did you mean 'label'?).",
    ),
    (
        "arms",
        "arm",
        "audits.2.arm is not a known key (did you mean 'arms'?).",
    ),
    ("[scope]", "[scop]", "scop is not a known key (did you mean 'scope'?)."),
    ("seed = 1", "seed = 1\nxyz = 1", "xyz is not a known key; take it out."),
    # A key of another audit is not offered.
    (GROUP, f"{GROUP}\narm = 1", "audits.1.arm is not a known key; take it out."),
]
MISSING_KEYS = [
    (
        f"{GROUP}\n",
        "",
        "audits.1.group is missing; add the name of a column, or a list of several.",
    ),
    ('default = "control"\n', "", "audits.1.default is missing; add the name of an input."),
    (
        'path = "data/control.parquet"\n',
        "",
        "inputs.control.path is missing; add a path, or a list of several.",
    ),
    ('audit = "opportunity"\n', "", 'audits.1: say which audit it is, such as audit = "opportunity".'),
]
SECOND = """[[audits]]
audit = "compare"
arms = { control = "control", treatment = "treatment" }
random = "random"
label = "liked"
group = "creator_age"
"""
LABELLED = "[labels]\ncreator_age.a = {}\ncreator_age.b = {}\n\n[inputs.random]"
WRONG_VALUES = [
    (
        "[inputs.random]",
        "[labels]\nage.a = 'x'\n\n[inputs.random]",
        "labels: no audit of this plan is about 'age'",
    ),
    (
        "[inputs.random]",
        LABELLED.format("'x'", "'x'"),
        "creator_age.a and creator_age.b have one label, 'x'.",
    ),
    ("[inputs.random]", LABELLED.format("'x'", "' '"), "the label of creator_age.b is empty."),
    (
        "[inputs.random]",
        LABELLED.format("'x'", "3"),
        "but must be a table of attributes, values and what they",
    ),
    (SECOND, SECOND * 2, "audits 2 and 3 (compare) are the same, so that what they find would count twice"),
    (
        '"opportunity"',
        '"oportunity"',
        "audits.1: there is no audit 'oportunity' (did you mean 'opportunity'?).",
    ),
    (
        'audit = "opportunity"',
        "audit = 3",
        "audits.1: there is no audit '3', only opportunity, series, compare, experiments, stages, "
        "boost, parity, user_precision, exposure, groups, envy, ",
    ),
    (
        "seed = 1",
        'seed = "1"',
        "seed is '1', but must be a whole number from 0 to 9,223,372,036,854,775,807.",
    ),
    ("seed = 1", "seed = true", "seed is True, but must be a whole number from 0 to"),
    ("seed = 1", "seed = -1", "seed is -1, but must be a whole number from 0 to"),
    (
        'label = ["liked", "shared"]',
        "label = 3",
        "label is 3, but must be the name of a column, or a list of several.",
    ),
    (
        '["liked", "shared"]',
        '["liked", 3]',
        "audits.1.label is ['liked', 3], but must be the name of a column, or",
    ),
    (GROUP, "group = 3", "audits.1.group is 3, but must be the name of a column, or a list of several."),
    (
        GROUP,
        f"{GROUP}\nlevel = 1.5",
        "audits.1.level is 1.5, but must be a finite number from 0.5 to 0.9999.",
    ),
    (
        GROUP,
        f'{GROUP}\nlevel = "0.9"',
        "audits.1.level is '0.9', but must be a finite number from 0.5 to 0.9999; write it without",
    ),
    (
        GROUP,
        f"{GROUP}\nlevel = 0.3",
        "audits.1.level is 0.3, but must be a finite number from 0.5 to 0.9999.",
    ),
    (
        GROUP,
        f"{GROUP}\ntolerance = 0",
        "audits.1.tolerance is 0, but must be a number above 0 and below 1.",
    ),
    (
        GROUP,
        f"{GROUP}\nreplicates = 5",
        "audits.1.replicates is 5, but must be a whole number from 100 to 1,000,000.",
    ),
    (
        GROUP,
        f'{GROUP}\ninterval = "hul"',
        "audits.1.interval is 'hul', but must be one of hull, delta, ray, percentile, normal, bca (did",
    ),
    (
        GROUP,
        f'{GROUP}\nvariance = "x"',
        "audits.1.variance is 'x', but must be one of multinomial, independent.",
    ),
    (
        GROUP,
        f'{GROUP}\nmissing = "x"',
        "audits.1.missing is 'x', but must be one of refuse, group, exclude.",
    ),
    (
        ', treatment = "treatment"',
        "",
        "audits.2.arms is {'control': 'control'}, but must be two arms or more, the baseline first.",
    ),
    (
        '{ control = "control", treatment = "treatment" }',
        '["control", "treatment"]',
        "audits.2.arms is ['control', 'treatment'], but must be two arms or more, the baseline first.",
    ),
    (
        "[scope]",
        "[[scope]]",
        "scope is [{'title': 'A small marketplace'}], but must be a table of names and values.",
    ),
    (
        "[inputs.control]",
        "[[inputs.control]]",
        "inputs.control is [{'path': 'data/control.parquet'}], but must be a table of names and values.",
    ),
]
WRONG_INPUTS = [
    (
        'default = "control"',
        'default = "contrl"',
        "audit 1 (opportunity): default names the input 'contrl', but there is no [inputs.contrl] "
        "(did you mean 'control'?).",
    ),
    (
        'random = "random"',
        'random = "r"',
        "audit 1 (opportunity): random names the input 'r', but there is no [inputs.r]; add it, or name "
        "one of control, treatment, random.",
    ),
    ('treatment = "treatment"', 'treatment = "t2"', "audit 2 (compare): arms.treatment names the input 't2'"),
    (
        GROUP,
        f'{GROUP}\nattributes = "items"\non = "item_id"',
        "attributes names the input 'items', but there",
    ),
]


@pytest.mark.parametrize(("old", "new", "says"), [*UNKNOWN_KEYS, *MISSING_KEYS, *WRONG_VALUES, *WRONG_INPUTS])
def test_mistakes_are_refused_in_one_sentence(plan, old, new, says):
    with pytest.raises(InputError) as error:
        load(plan(old, new))
    message = str(error.value)
    assert message.startswith("audit.toml, line ")
    assert says in message
    assert message.endswith(".")
    assert "\n" not in message
    assert len(message) < 260


def test_long_values_are_cut(plan):
    with pytest.raises(
        InputError,
        match=r"audits\.1\.label is \[\['x.{30,90}, \.\.\.\]\], but must be the name of a column, or",
    ):
        load(plan('label = ["liked", "shared"]', f"label = [{['x' * 10] * 50}]"))


def test_an_input_or_arm_named_like_an_audit_keeps_its_name(plan):
    with pytest.raises(InputError, match=r"inputs\.compare\.pth is not a known key"):
        load(plan("[scope]", '[inputs.compare]\npth = "x"\n[scope]'))


def test_one_pair_of_brackets_is_a_common_slip(folder):
    path = folder / "audit.toml"
    path.write_text('[inputs.a]\npath = "a.csv"\n[audits]\naudit = "opportunity"\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"audits must be a list: write \[\[audits\]\], with two brackets"):
        load(path)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "  audits is missing; add a list of one audit or more."),
        ("audits = []", "  inputs is missing; add a table for each input, such as [inputs.log] with path"),
    ],
)
def test_empty_plans(folder, text, says):
    (folder / "empty.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as error:
        load(folder / "empty.toml")
    assert says in str(error.value)


def test_a_plan_without_audits(folder):
    (folder / "audit.toml").write_text("audits = []\ninputs = {}", encoding="utf-8")
    with pytest.raises(InputError, match="audits is \\[\\], but must be a list of one audit or more"):
        load(folder / "audit.toml")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("a = " + "[" * 100_000, "audit.toml is not a plan: it is nested too deeply"),
        ("a = " + "9" * 5_000, "audit.toml is not a plan: a number in it has thousands of digits"),
        ("a." * 100_000 + "a = 1", "audit.toml is not a plan: it is nested too deeply"),
        ("[" + "'a' . " * 100_000 + "a]", "audit.toml is not a plan: it is nested too deeply"),
        ("a = { " + '"a".' * 100_000 + "a = 1 }", "audit.toml is not a plan: it is nested too deeply"),
    ],
    ids=["nested", "digits", "dots", "dots in brackets", "dots in braces"],
)
def test_what_no_reader_of_toml_can_take(folder, content, said):
    (folder / "audit.toml").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        load(folder / "audit.toml")


def test_invalid_toml_is_found_by_its_line(plan):
    with pytest.raises(InputError, match=r"audit\.toml is not valid TOML: .*line 2, column 10"):
        load(plan("seed = 1", "seed = 1 1"))


def test_files_that_are_no_plan(folder):
    with pytest.raises(InputError, match=r"There is no plan .*nope\.toml; `evenhand init` writes one"):
        load(folder / "nope.toml")
    with pytest.raises(
        InputError, match=r"project is a folder; name the plan file in it, such as audit\.toml"
    ):
        load(folder)
    with pytest.raises(InputError, match=r"random\.parquet is not a plan: a plan is a TOML file"):
        load(folder / "data" / "random.parquet")
    with pytest.raises(InputError, match=r"cannot be read \(Not a directory\)"):
        load(folder / "data" / "random.parquet" / "audit.toml")


def test_a_byte_order_mark_is_no_word_of_the_plan(plan):
    path = plan("seed = 1", "seed = 2")
    path.write_text("\ufeff" + path.read_text(encoding="utf-8").replace("\n", "\r\n"), encoding="utf-8")
    assert load(path).seed == 2


def test_pipes_and_devices_are_no_plan(folder):
    os.mkfifo(folder / "audit.toml")
    for path in (folder / "audit.toml", "/dev/zero"):  # one waits for a writer, the other has no end
        with pytest.raises(InputError, match=r"cannot be read \(it is not a file\)"):
            load(path)
