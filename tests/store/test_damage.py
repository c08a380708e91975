"""A store that was damaged is said to be, in one sentence."""

from __future__ import annotations

import pytest

from evenhand.errors import InputError
from evenhand.monitor.days.remarks import unpacked
from evenhand.monitor.following_plan import differences


@pytest.mark.parametrize(
    "read", [lambda: unpacked("x"), lambda: unpacked("[1]"), lambda: differences("x", "{}")]
)
def test_what_cannot_be_read_is_damage(read):
    with pytest.raises(InputError, match=r"The store is damaged: .*; go back to a backup"):
        read()
