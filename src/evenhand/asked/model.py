"""A model of what can be asked: strict, frozen, and refused in one sentence wherever it was asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from evenhand.asked.sentences import Place, as_argument, problem
from evenhand.errors import InputError


class Asked(BaseModel):
    """What an audit is asked. A call makes one with `checked`, plans and commands by what is written."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    @model_validator(mode="before")
    @classmethod
    def _plain(cls, given: Any) -> Any:
        return {key: _plain(value) for key, value in given.items()} if isinstance(given, dict) else given

    @classmethod
    def checked(cls, **given: Any) -> Self:
        """The checked arguments of a call; what cannot be is refused."""
        return cls.read(given)

    @classmethod
    def read(cls, given: Mapping[str, Any], name_of: Callable[[Place], str] = as_argument) -> Self:
        """What was given, checked; `name_of` is what a refusal calls a key."""
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            raise InputError(f"{problem(error, cls, given, name_of)}.") from None


def _plain(value: Any) -> Any:
    """Numbers of NumPy as Python's own, and every sequence as a list: what TOML and JSON could say."""
    if type(value).__module__ == "numpy" and hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [_plain(one) for one in value]
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    return value
