"""The published JSON Schema of `findings.json`, made from the model so that the two cannot drift apart.

`python -m evenhand.report.schema` writes the file again after a change of `findings.Document`.
"""

from __future__ import annotations

import json
from pathlib import Path

from evenhand.documents import Document

PATH = Path(__file__).with_name("findings.schema.json")


def generated() -> str:
    """The schema as text, in the same form as the file."""
    schema = Document.model_json_schema(mode="serialization")
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    PATH.write_text(generated(), encoding="utf-8")
