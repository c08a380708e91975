"""Arrays from .npy and .npz files: only what is asked for, and never more than the file can be about."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from evenhand.errors import InputError

# Numbers hardly shrink: what unpacks to more than this multiple of its size was made to fill the memory.
MOST_UNPACKED = 20
ALWAYS_FITS = 1 << 28
# The name of the one array of a .npy file.
ALONE = ""

Choose = Callable[[Mapping[str, int]], Iterable[str]]


def load_arrays(path: Path, choose: Choose = lambda axes: axes) -> dict[str, NDArray[Any]]:
    """The array of a .npy file, called ALONE, or those of a .npz file that `choose` picks by their names and
    numbers of axes. An InputError is the end of a sentence that begins with the file."""
    with path.open("rb") as file:
        is_archive = file.read(4) == b"PK\x03\x04"
    if not is_archive:
        return {ALONE: np.load(path, allow_pickle=False)}
    with zipfile.ZipFile(path) as archive:
        members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
        chosen = list(choose({name: _axes(archive, info) for name, info in members.items()}))
        unpacked = sum(members[name].file_size for name in chosen)
        packed = sum(members[name].compress_size for name in chosen)
        if unpacked > max(ALWAYS_FITS, MOST_UNPACKED * packed):
            raise InputError(
                f"would unpack to {unpacked:,} bytes, {unpacked / max(packed, 1):,.0f} times its size, and "
                "vectors hardly shrink; write it again, with np.savez if it is really so large"
            )
        arrays = {}
        for name in chosen:
            with archive.open(members[name]) as member:
                arrays[name] = npy.read_array(member, allow_pickle=False)
    return arrays


def _axes(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> int:
    """How many axes the array has, from the first bytes of it; -1 of what is no array."""
    readers = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
    try:
        with archive.open(info) as member:
            return len(readers[npy.read_magic(member)](member)[0])
    except (KeyError, ValueError):
        return -1
