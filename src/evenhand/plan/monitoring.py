"""`[monitoring]`: how a plan is followed from day to day."""

from __future__ import annotations

from typing import Literal

from evenhand.plan.strict import Strict


class Monitoring(Strict):
    """How often the plan is looked at, and where the days are: the column `day` of its logs, or `{day}` in
    the paths of its inputs."""

    cadence: Literal["day", "week"] = "day"
    day: str | None = None
