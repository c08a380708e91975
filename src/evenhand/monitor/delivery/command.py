"""A message to a program, on its standard input."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress

from evenhand.monitor.delivery.message import Attempt, NotDelivered
from evenhand.plan.watched.channels import Command


def send(channel: Command, attempt: Attempt) -> str:
    """Run it once; 0 means that it was told. What it prints is not kept, as it may hold anything."""
    environment = {**os.environ, "EVENHAND_MESSAGE_ID": attempt.message.id}
    try:
        process = subprocess.Popen(
            channel.run,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=attempt.base,
            env=environment,
            start_new_session=True,  # so that what it starts ends with it
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "its arguments cannot be used"
        raise NotDelivered(f"{os.path.basename(channel.run[0])} cannot be run ({reason})") from None
    try:
        process.communicate(attempt.message.content.encode(), timeout=channel.timeout)
    except subprocess.TimeoutExpired:
        raise NotDelivered(f"it did not end within {channel.timeout} seconds, and was stopped") from None
    finally:
        if process.poll() is None:
            _stop(process)
    if process.returncode != 0:
        raise NotDelivered(f"it ended with {process.returncode}")
    return ""


def _stop(process: subprocess.Popen[bytes]) -> None:
    """The program and what it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    if process.stdin is not None:
        process.stdin.close()
    process.wait()
