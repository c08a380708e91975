"""What all parts of a plan have in common: no key that nobody knows, no value of another type, no change."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Strict(BaseModel):
    # What was given may be a secret in the wrong place: no error repeats it by itself.
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, hide_input_in_errors=True)
