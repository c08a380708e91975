"""What a server says of itself: a line of JSON each, without ids of users, tokens or addresses."""

from __future__ import annotations

import json
import logging
import sys
import threading
import time
import traceback
from typing import Any

_logger = logging.getLogger("evenhand.service")


def to_stdout(level: int) -> None:
    """Write lines of this level and above to standard output, and what libraries say, too."""
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(logging.Formatter("%(message)s"))
    _logger.handlers[:] = [handler]
    _logger.propagate = False
    _logger.setLevel(level)
    logging.getLogger().handlers[:] = [_Others(logging.WARNING)]
    threading.excepthook = lambda died: fault(died.exc_value)
    logging.raiseExceptions = False  # else a line that cannot be written is printed with what it was about


def write(what: str, level: int = logging.INFO, **told: Any) -> None:
    if _logger.isEnabledFor(level):
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        _logger.log(level, json.dumps({"at": at, "what": what, **told}))


def fault(error: BaseException | None) -> None:
    """Which kind of error, and where: what it says may have somebody's id in it."""
    last = traceback.extract_tb(None if error is None else error.__traceback__)[-1:]
    where = [f"{frame.filename.rpartition('evenhand/')[2]}:{frame.lineno}" for frame in last]
    write("fault", logging.CRITICAL, error=type(error).__name__, where=where)


class _Others(logging.Handler):
    """What libraries say: of a server that cannot listen the words, of anything else only who said it."""

    def emit(self, record: logging.LogRecord) -> None:
        told = {"said": record.getMessage().strip()} if record.name.startswith("uvicorn") else {}
        if record.exc_info and record.exc_info[0] is not None:
            told["error"] = record.exc_info[0].__name__
        write("library", record.levelno, by=record.name, **told)
