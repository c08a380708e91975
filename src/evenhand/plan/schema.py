"""The JSON Schema of plans, for editors that complete and check `audit.toml`; made from the declarations."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, create_model
from pydantic.json_schema import models_json_schema

from evenhand.asked.audits import AUDITS
from evenhand.plan.model import Plan


def plan_schema() -> dict[str, Any]:
    """What a plan can say: every key of every audit, with its range, its default and its help."""
    # The steps of a plan are told apart by their `audit`, which the model reads by itself.
    known = {key: (field.annotation, field) for key, field in Plan.model_fields.items() if key != "audits"}
    outline = create_model("Plan", __config__=Plan.model_config, **known)  # type: ignore[call-overload]
    steps: dict[str, type[BaseModel]] = {name: declared.load() for name, declared in AUDITS.items()}
    models = [(outline, "validation"), *((step, "validation") for step in steps.values())]
    found, whole = models_json_schema(models, title="A plan of audits")  # type: ignore[arg-type]
    plan = whole["$defs"].pop("Plan")
    plan["properties"]["audits"] = {
        "type": "array",
        "minItems": 1,
        "items": {
            "oneOf": [found[step, "validation"] for step in steps.values()],
            "discriminator": {"propertyName": "audit"},
        },
        "description": "The audits, in the order in which they run.",
    }
    plan["required"] = sorted({*plan.get("required", []), "audits"})
    for name, step in steps.items():
        keys = whole["$defs"][found[step, "validation"]["$ref"].rpartition("/")[2]]
        keys["required"] = sorted({*keys.get("required", []), "audit"})
        keys["properties"]["audit"] = {"const": name, "description": AUDITS[name].about}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **plan, "$defs": whole["$defs"]}
