"""What a server says of itself: a line of JSON each, without ids of users, tokens or addresses."""

from __future__ import annotations

import json
import logging
import sys
import time
from typing import Any

_logger = logging.getLogger("evenhand.service")


def to_stdout(level: int) -> None:
    """Write lines of this level and above to standard output."""
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(logging.Formatter("%(message)s"))
    _logger.handlers[:] = [handler]
    _logger.propagate = False
    _logger.setLevel(level)


def write(what: str, level: int = logging.INFO, **told: Any) -> None:
    if _logger.isEnabledFor(level):
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        _logger.log(level, json.dumps({"at": at, "what": what, **told}))
