"""MovieLens from its publisher, checked against the publisher's checksum.

GroupLens lets anyone download these data for research and forbids passing them on, so each user fetches
them from there; what other publishers allow is less clear, and their data are not fetched for you.
"""

import hashlib
import re
import tempfile
import zipfile
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path, PurePosixPath
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from evenhand.errors import InputError
from evenhand.parameters import writable_folder

PUBLISHER = "https://files.grouplens.org/datasets/movielens"
OFFERED = ("ml-100k", "ml-1m")
BY_HAND = {"lastfm": "Last.fm 2k", "lastfm-2k": "Last.fm 2k", "coat": "Coat"}

LICENCE = (
    "MovieLens data are for research: do not redistribute them, do not use them commercially without "
    "permission from GroupLens, do not imply its endorsement, and cite Harper and Konstan (2015), "
    "doi 10.1145/2827872. The full terms are in {readme}."
)

# The two archives have 5 and 6 MB and unpack to 15 and 25 MB: much more than that is something else.
LARGEST_ARCHIVE, LARGEST_CONTENT = 50_000_000, 200_000_000


def download(
    name: str,
    folder: str | Path,
    *,
    base: str = PUBLISHER,
    timeout: float = 30,
    say: Callable[[str], None] = print,
) -> Path:
    """Fetch "ml-100k" or "ml-1m" into `folder`/name, and return that folder, for `load`.

    The archive must agree with the MD5 sum published beside it; `say` is given the licence note.
    """
    if name not in OFFERED:
        if name.lower() in BY_HAND:
            raise InputError(
                f"{BY_HAND[name.lower()]} is not downloaded for you, as its licence does not clearly "
                "allow that; get it from its authors and pass the folder."
            )
        raise InputError(f"There is no data set {name!r} to download; choose from {', '.join(OFFERED)}.")
    target = writable_folder("the folder", folder) / name
    if target.exists():
        raise InputError(f"{target} exists already: load it, or remove it to download it again.")
    archive = f"{base.rstrip('/')}/{name}.zip"
    by_hand = (
        f"download it by hand from {PUBLISHER}/{name}.zip, unzip it, and pass its folder (evenhand train "
        f"MODEL {name} --out model)"
    )
    checksum = _checksum(_fetch(f"{archive}.md5", 10_000, timeout, by_hand), f"{archive}.md5", by_hand)
    content = _fetch(archive, LARGEST_ARCHIVE, timeout, by_hand)
    found = hashlib.md5(content, usedforsecurity=False).hexdigest()
    if found != checksum:
        raise InputError(
            f"{archive} has the MD5 sum {found}, but its publisher says {checksum}: it was damaged on the "
            f"way; try again, or {by_hand}."
        )
    _unpack(content, name, target, archive)
    readmes = sorted(path.name for path in target.glob("README*"))
    say(LICENCE.format(readme=target / readmes[0] if readmes else "the publisher's README"))
    return target


def _fetch(address: str, most: int, timeout: float, by_hand: str) -> bytes:
    if not address.startswith(("https://", "http://")):
        raise InputError(f"{address} is not an address on the web; it must begin with https:// or http://.")
    try:
        with urlopen(Request(address, headers={"User-Agent": "evenhand"}), timeout=timeout) as answer:
            content: bytes = answer.read(most + 1)
            announced = answer.headers.get("Content-Length")
    except HTTPError as error:
        error.close()
        raise InputError(f"{address} answered with status {error.code}; {by_hand}.") from error
    except (OSError, HTTPException) as error:  # URLError and time-outs are OSErrors
        reason = getattr(error, "reason", None) or error or type(error).__name__
        raise InputError(f"{address} could not be reached ({reason}); {by_hand}.") from error
    if len(content) > most or (announced and int(announced) != len(content)):
        raise InputError(f"{address} sent {len(content):,} bytes, which is not the whole file; {by_hand}.")
    return content


def _checksum(content: bytes, address: str, by_hand: str) -> str:
    """The sum in a file such as "MD5 (ml-1m.zip) = c4d9..."; 32 hexadecimal digits, whatever is around."""
    found = re.search(rb"\b[0-9a-fA-F]{32}\b", content)
    if not found:
        raise InputError(f"{address} holds no MD5 sum to check the archive with; {by_hand}.")
    return found.group().decode().lower()


def _unpack(content: bytes, name: str, target: Path, archive: str) -> None:
    """Write the files of the archive's folder `name` to `target`: all of them, or none."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{name}-") as scratch:
        path = Path(scratch) / f"{name}.zip"
        path.write_bytes(content)
        try:
            with zipfile.ZipFile(path) as opened:
                members = [member for member in opened.infolist() if not member.is_dir()]
                for member in members:
                    _refuse_outside(member, name, archive)
                if not members or sum(member.file_size for member in members) > LARGEST_CONTENT:
                    raise InputError(
                        f"{archive} is empty or much larger than {name} is; nothing was unpacked."
                    )
                opened.extractall(scratch, members)
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
            raise InputError(f"{archive} is not a zip archive that can be read ({error}).") from error
        (Path(scratch) / name).rename(target)


def _refuse_outside(member: zipfile.ZipInfo, name: str, archive: str) -> None:
    """Names that would be written elsewhere, and links, through which others could be."""
    path = PurePosixPath(member.filename)
    is_link = (member.external_attr >> 16) & 0o170000 == 0o120000
    if path.is_absolute() or ".." in path.parts or path.parts[0] != name or "\\" in path.name or is_link:
        raise InputError(
            f"{archive} holds {member.filename!r}, which does not belong into the folder {name}; "
            "nothing was unpacked."
        )
