"""A message as a line of JSON at the end of a file."""

from __future__ import annotations

import fcntl
import json
import os
import stat
from pathlib import Path

from evenhand.monitor.delivery.message import Attempt, NotDelivered
from evenhand.plan.watched.channels import File

# A line that was written before a crash is looked for in so many last bytes.
_LAST = 1 << 20


def send(channel: File, attempt: Attempt) -> str:
    """Add the line, in full or not at all, unless it is there already: the process may have ended after it
    wrote the line and before it could say so."""
    try:
        path = attempt.base / Path(channel.path).expanduser()
        # Without waiting: a pipe that nobody reads would hold us for ever.
        place = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK, 0o644)
        try:
            _add(place, attempt)
        finally:
            os.close(place)
        _keep_name(path.parent)
    except RuntimeError:  # of `expanduser`
        raise NotDelivered("its path begins with the home folder of nobody; write the whole path") from None
    except OSError as error:
        raise NotDelivered(f"the file cannot be written ({error.strerror or type(error).__name__})") from None
    return ""


def _add(place: int, attempt: Attempt) -> None:
    if not stat.S_ISREG(os.fstat(place).st_mode):
        raise NotDelivered("it is not a file")
    _lock(place)
    size = os.fstat(place).st_size
    *lines, rest = os.pread(place, _LAST, max(0, size - _LAST)).split(b"\n")
    if any(_is_of(line, attempt.message.id) for line in (*lines, rest)):
        return
    line = attempt.message.content.encode() + b"\n"
    if line.startswith(rest):  # the beginning of this line, of a computer that stopped; or nothing
        size -= len(rest)
    else:  # of somebody else
        line = b"\n" + line
    try:
        _write(place, line, size)
        os.fsync(place)
    except OSError:
        os.ftruncate(place, size)
        raise


def _is_of(line: bytes, message_id: str) -> bool:
    if message_id.encode() not in line:
        return False
    try:
        return json.loads(line)["id"] == message_id
    except (ValueError, TypeError, KeyError):
        return False


def _write(place: int, content: bytes, at: int) -> None:
    while content:
        written = os.pwrite(place, content, at)
        content, at = content[written:], at + written


def _lock(place: int) -> None:
    """Two processes that tell the same file take turns; whoever comes second tries again later."""
    try:
        fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise NotDelivered("another process is writing the file") from None


def _keep_name(folder: Path) -> None:
    """A new file has its name on the disk, too."""
    place = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(place)
    finally:
        os.close(place)
