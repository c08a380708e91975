"""The schema that editors complete and check plans with says what the declarations say."""

import json
import tomllib

import jsonschema
import pytest

from evenhand.asked.audits import AUDITS
from evenhand.plan.schema import plan_schema

SCHEMA = plan_schema()


def test_a_plan_that_runs_fits(plan):
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(tomllib.loads(plan().read_text()), SCHEMA)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("seed = 1", "seed = -1"),
        ("seed = 1", "sead = 1"),
        ('group = "creator_age"', 'group = "creator_age"\nlevel = 2'),
        ('group = "creator_age"', 'group = "creator_age"\ninterval = "hul"'),
        ('audit = "opportunity"', 'audit = "oportunity"'),
        ('audit = "opportunity"\n', ""),
    ],
)
def test_what_is_refused_does_not_fit(plan, old, new):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(tomllib.loads(plan(old, new).read_text()), SCHEMA)


FRAME = """
seed = 1
[scope]
pipeline = "ranking"
stakeholders = ["creators"]
harm = "They earn less"
attributes = { creator_age = "Age is protected" }
[identify]
comparison = "random traffic"
period = [2026-03-01, 2026-03-14]
[[revisions]]
who = "Ada"
when = 2026-03-01
what = "The first plan"
fingerprint = "0123456789abcdef"
"""


def as_an_editor_reads(text: str):
    """Dates are texts to a schema of JSON."""
    return json.loads(json.dumps(tomllib.loads(text), default=str))


def test_the_whole_frame_fits(plan):
    text = plan("seed = 1", FRAME).read_text().replace('[scope]\ntitle = "A small marketplace"\n', "")
    text = text.replace('cluster = "user_id"', 'cluster = "user_id"\nname = "now"\nreason = "One ninth"')
    jsonschema.validate(as_an_editor_reads(text), SCHEMA)
    for right, wrong in (
        ('["creators"]', '"creators"'),
        ("who =", "whom ="),
        ("[2026-03-01, ", "["),
        ('"now"', "3"),
    ):
        assert right in text
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(as_an_editor_reads(text.replace(right, wrong)), SCHEMA)
    (scope,) = (one for name, one in SCHEMA["$defs"].items() if name == "Scope")
    assert all(key.get("description") for key in scope["properties"].values())


def test_every_audit_has_every_key_with_its_help():
    told = {
        one["properties"]["audit"]["const"]: one
        for one in SCHEMA["$defs"].values()
        if "const" in one["properties"].get("audit", {})
    }
    assert set(told) == set(AUDITS)
    for name, declared in AUDITS.items():
        keys = told[name]["properties"]
        assert set(keys) == set(declared.load().model_fields)
        assert all(key.get("description") for key in keys.values())
