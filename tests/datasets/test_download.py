"""Downloads, from a server on this machine that stands for the publisher's."""

import hashlib
import importlib
import io
import socket
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from evenhand.datasets import download, load
from evenhand.errors import InputError

# The function has the name of its module, and hides it.
MODULE = importlib.import_module("evenhand.datasets.download")
MEMBERS = {
    "ml-1m/README": "terms",
    "ml-1m/ratings.dat": "1::10::5::978300760\n",
    "ml-1m/users.dat": "1::F::1::10::48067\n",
    "ml-1m/movies.dat": "10::Heat (1995)::Action\n",
}
BY_HAND = r"download it by hand from https://files\.grouplens\.org/datasets/movielens/ml-1m\.zip"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """The folder that is served, and its address."""
    folder = tmp_path / "server"
    folder.mkdir()
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as http:
        thread = threading.Thread(target=http.serve_forever, daemon=True)
        thread.start()
        yield folder, f"http://127.0.0.1:{http.server_port}"
        http.shutdown()
        thread.join()


def archive(members: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as opened:
        for name, text in members.items():
            opened.writestr(name, text)
    return buffer.getvalue()


def publish(folder: Path, content: bytes, checksum: str | None = None) -> None:
    (folder / "ml-1m.zip").write_bytes(content)
    checksum = checksum or f"MD5 (ml-1m.zip) = {hashlib.md5(content).hexdigest()}\n"
    (folder / "ml-1m.zip.md5").write_text(checksum)


def left_behind(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_a_download_can_be_loaded(server: tuple[Path, str], tmp_path: Path) -> None:
    publish(server[0], archive(MEMBERS))
    said: list[str] = []
    folder = download("ml-1m", tmp_path / "data", base=server[1] + "/", say=said.append)
    assert folder == tmp_path / "data" / "ml-1m"
    assert left_behind(tmp_path / "data") == ["ml-1m"]
    assert load(folder).items["title"].to_list() == ["Heat (1995)"]
    assert len(said) == 1
    assert "do not redistribute" in said[0]
    assert str(folder / "README") in said[0]
    with pytest.raises(InputError, match="exists already: load it"):
        download("ml-1m", tmp_path / "data", base=server[1])


@pytest.mark.parametrize(("folder", "says"), [("", "the folder is ''"), ("file", "cannot be written to")])
def test_the_folder_is_looked_at_before_the_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=says):
        download("ml-1m", folder, base="http://127.0.0.1:1")


def test_a_damaged_archive_is_refused(server: tuple[Path, str], tmp_path: Path) -> None:
    publish(server[0], archive(MEMBERS), "MD5 (ml-1m.zip) = " + "0" * 32)
    with pytest.raises(InputError, match=f"publisher says {'0' * 32}: it was damaged on the way"):
        download("ml-1m", tmp_path / "data", base=server[1])
    publish(server[0], archive(MEMBERS), "<html>come back later</html>")
    with pytest.raises(InputError, match="holds no MD5 sum"):
        download("ml-1m", tmp_path / "data", base=server[1])
    publish(server[0], b"not a zip")
    with pytest.raises(InputError, match="not a zip archive that can be read"):
        download("ml-1m", tmp_path / "data", base=server[1])
    assert left_behind(tmp_path / "data") == []


def link(opened: zipfile.ZipFile) -> None:
    member = zipfile.ZipInfo("ml-1m/link")
    member.external_attr = 0o120777 << 16
    opened.writestr(member, "/etc/passwd")


@pytest.mark.parametrize(
    "name", ["../evil", "/tmp/evil", "ml-1m/../../evil", "other/evil", "ml-1m/..\\evil", None]
)
def test_nothing_is_written_outside(server: tuple[Path, str], tmp_path: Path, name: str | None) -> None:
    buffer = io.BytesIO(archive(MEMBERS))
    with zipfile.ZipFile(buffer, "a") as opened:
        link(opened) if name is None else opened.writestr(name, "evil")
    publish(server[0], buffer.getvalue())
    with pytest.raises(InputError, match="does not belong into the folder ml-1m; nothing was unpacked"):
        download("ml-1m", tmp_path / "data", base=server[1])
    assert left_behind(tmp_path / "data") == []
    assert not list(tmp_path.rglob("evil"))


def test_an_answer_that_is_too_large_is_refused(
    server: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(server[0], archive(MEMBERS))
    monkeypatch.setattr(MODULE, "LARGEST_CONTENT", 10)
    with pytest.raises(InputError, match="much larger than ml-1m is"):
        download("ml-1m", tmp_path / "data", base=server[1])
    monkeypatch.setattr(MODULE, "LARGEST_ARCHIVE", 10)
    with pytest.raises(InputError, match=f"sent 11 bytes, which is not the whole file; {BY_HAND}"):
        download("ml-1m", tmp_path / "data", base=server[1])


def test_without_a_network_it_says_what_to_do(tmp_path: Path) -> None:
    with socket.socket() as unused:  # bound, and not listening: nobody answers there
        unused.bind(("127.0.0.1", 0))
        base = f"http://127.0.0.1:{unused.getsockname()[1]}"
        with pytest.raises(
            InputError, match=rf"could not be reached \(.*refused\); {BY_HAND}, unzip it, and pass its folder"
        ):
            download("ml-1m", tmp_path, base=base)


def test_a_file_that_is_not_there(server: tuple[Path, str], tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"answered with status 404; {BY_HAND}"):
        download("ml-1m", tmp_path, base=server[1])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("coat", "Coat is not downloaded for you, as its licence does not clearly allow that"),
        ("LastFM", "Last.fm 2k is not downloaded for you"),
        ("netflix", "no data set 'netflix' to download; choose from ml-100k, ml-1m"),
    ],
)
def test_only_movielens_is_offered(tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        download(name, tmp_path)


def test_only_the_web_is_an_address(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not an address on the web"):
        download("ml-1m", tmp_path, base=f"file://{tmp_path}")


def test_the_publisher_is_the_only_address_in_the_code(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[str] = []

    def no_network(request: object, **_: object) -> None:
        asked.append(request.full_url)  # type: ignore[attr-defined]
        raise OSError("no network here")

    monkeypatch.setattr(MODULE, "urlopen", no_network)
    with pytest.raises(InputError, match=rf"could not be reached \(no network here\); {BY_HAND}"):
        download("ml-1m", tmp_path)
    assert asked == ["https://files.grouplens.org/datasets/movielens/ml-1m.zip.md5"]
