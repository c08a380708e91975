"""The schema that editors complete and check plans with says what the declarations say."""

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
