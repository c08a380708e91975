"""Files that are there in full or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from evenhand.errors import InputError


def write_together(folder: Path, contents: Mapping[str, str]) -> dict[str, Path]:
    """Write texts into a folder: all to temporary files first, then each renamed into its place.

    Whoever reads the folder meanwhile sees a whole old file or a whole new one, and a full disk leaves
    the old ones alone.
    """
    waiting: dict[Path, Path] = {}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in contents.items():
            temporary = folder / f".{name}.{secrets.token_hex(4)}.tmp"
            waiting[temporary] = folder / name
            temporary.write_bytes(content.encode())
        for temporary, final in waiting.items():
            os.replace(temporary, final)
    except OSError as error:
        raise InputError(f"{folder} cannot be written to ({error.strerror}); name another folder.") from error
    finally:
        for temporary in waiting:
            # Gone already when it was renamed. A folder that cannot be searched has nothing to clear.
            if os.path.exists(temporary):
                temporary.unlink()
    return {final.name: final for final in waiting.values()}
