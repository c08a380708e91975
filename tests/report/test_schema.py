"""The published schema and the model say the same."""

from __future__ import annotations

import json

import jsonschema
import pytest

from evenhand.documents import Document
from evenhand.report import schema


def test_the_published_schema_is_the_generated_one():
    assert schema.PATH.read_text(encoding="utf-8") == schema.generated(), (
        "findings.Document has changed: run `python -m evenhand.report.schema`"
    )


def test_documents_are_valid_and_the_schema_can_refuse(make):
    published = json.loads(schema.PATH.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(published)
    for document in (make.typical(), make.hostile(), Document(findings=(), version="1")):
        jsonschema.validate(json.loads(document.model_dump_json()), published)
    broken = json.loads(make.typical().model_dump_json())
    broken["findings"][0]["verdict"] = "fair"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, published)
