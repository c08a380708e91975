"""What all parts of a plan have in common: no key that nobody knows, no value of another type, no change."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
