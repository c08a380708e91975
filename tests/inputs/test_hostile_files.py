"""Files that are not what they seem: refused in one sentence, and before they take memory or time."""

import gzip
import os
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import evenhand as eh
from evenhand.association.vectors.sources import entities
from evenhand.datasets import load
from evenhand.errors import InputError
from evenhand.inputs import table
from evenhand.recommenders import load as load_model

FRAME = pd.DataFrame({"user_id": [1, 2], "liked": [0, 1]})
# What takes a path and reads it.
READERS = {
    "table": lambda path: table(path, name="log"),
    "vectors": lambda path: entities("users", path, "user"),
    "vectors in numpy": lambda path: entities("users", f"{path}.npy", "user"),
    "model": lambda path: load_model(path),
    "data set": lambda path: load(path),
    "exposure": lambda path: eh.exposure.audit(path, path, path, path),
    "groups": lambda path: eh.groups.audit(path, path, attributes=["gender"]),
    "envy": lambda path: eh.envy.audit(path, path),
    "association": lambda path: eh.association.audit(path, None, ["a", "b"], None),
    "opportunity": lambda path: eh.opportunity.audit(path, path, label="liked", group="g"),
}


@pytest.mark.parametrize("reader", READERS)
def test_paths_that_nobody_can_have_are_refused_everywhere(reader, tmp_path):
    loop = tmp_path / "loop.parquet"
    loop.symlink_to(loop)
    latin = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.parquet")
    FRAME.to_parquet(tmp_path / "plain.parquet")
    os.rename(tmp_path / "plain.parquet", latin)
    for path in ("~nosuchuser/log.parquet", str(loop), latin, f"{tmp_path}/a\0b.parquet", ""):
        with pytest.raises(InputError) as error:
            READERS[reader](path)
        str(error.value).encode()  # it can be printed


def test_a_glob_and_a_folder_name_what_is_in_them(tmp_path):
    FRAME.to_csv(tmp_path / "a.csv", index=False)
    (tmp_path / "b.csv").symlink_to(tmp_path / "b.csv")
    with pytest.raises(InputError, match=r"log: b\.csv cannot be read \(Too many levels"):
        table(tmp_path / "*.csv", name="log")
    (tmp_path / "b.csv").unlink()
    os.rename(tmp_path / "a.csv", os.fsencode(tmp_path) + b"/caf\xe9.csv")
    with pytest.raises(InputError, match=r"log: .*caf.*xe9\.csv' is not UTF-8 text; rename it"):
        table(tmp_path / "*.csv", name="log")


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "log.csv")
    with pytest.raises(InputError, match=r"log: log\.csv is not a file"):
        table(tmp_path / "log.csv", name="log")


@pytest.mark.parametrize("name", ["log.parquet", "log.csv"])
def test_a_file_that_changes_after_it_was_opened_is_refused(name, tmp_path):
    def write(frame):
        frame.to_csv(tmp_path / name, index=False) if name == "log.csv" else frame.to_parquet(tmp_path / name)

    write(FRAME)
    log = table(tmp_path / name, name="log")
    assert log.run(log.expr.aggregate(n=log.expr.count()))["n"][0] == 2
    write(FRAME.assign(liked=[1, 0]))  # as many bytes, as many rows
    for again in (lambda: log.run(log.expr.aggregate(n=log.expr.count())), lambda: log.fingerprint(2)):
        with pytest.raises(InputError, match=rf"log: {name} cannot be read to its end, as it was changed"):
            again()


@pytest.mark.parametrize("compressed", [False, True])
def test_a_line_without_end_is_refused_and_no_row_is_lost(compressed, tmp_path):
    content = b"user_id,liked\n1,0\n2," + b"1" * (40 << 20) + b"\n"
    path = tmp_path / ("log.csv.gz" if compressed else "log.csv")
    path.write_bytes(gzip.compress(content, 1) if compressed else content)
    with pytest.raises(InputError, match=r"log: line 3 of log\.csv.* has more than 2,097,152 bytes"):
        table(path, name="log")
    header = b"x" * (3 << 20)
    path.write_bytes(gzip.compress(header, 1) if compressed else header)
    with pytest.raises(InputError, match=r"line 1 of log\.csv.* cannot be read as a header"):
        table(path, name="log")


@pytest.mark.parametrize("encoding", ["utf-16", "cp1252"])
def test_a_header_of_other_letters_is_called_so(encoding, tmp_path):
    path = tmp_path / "log.csv"
    path.write_bytes("user_id,größe\n1,0\n".encode(encoding))
    with pytest.raises(InputError, match=r"cannot be read as a header \(it is not UTF-8\); the file must be"):
        table(path, name="log")


def test_a_compressed_file_that_was_changed_is_refused(tmp_path):
    whole = gzip.compress(b"user_id,liked\n" + b"1,0\n" * 400_000)
    (tmp_path / "log.csv.gz").write_bytes(whole[:-8] + bytes(4) + whole[-4:])
    with pytest.raises(InputError, match=r"log: log\.csv\.gz cannot be read to its end \(CRC"):
        table(tmp_path / "log.csv.gz", name="log")


def _bomb(path: Path, name: str, gigabytes: float) -> Path:
    rows = int(gigabytes * (1 << 30)) // 8 // 64
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open(f"{name}.npy", "w", force_zip64=True) as member,
    ):
        header = {"descr": "<f8", "fortran_order": False, "shape": (rows, 64)}
        np.lib.format.write_array_header_1_0(member, header)
        block = bytes(64 * 8 * 4096)
        for _ in range(rows // 4096):
            member.write(block)
    return path


def test_vectors_that_unpack_to_gigabytes_are_refused_before_they_do(tmp_path):
    path = _bomb(tmp_path / "users.npz", "user_vectors", 0.5)
    tracemalloc.start()
    with pytest.raises(InputError, match=r"users: users\.npz .*would unpack to 536,\d+,\d+ bytes"):
        entities("users", path, "user")
    assert tracemalloc.get_traced_memory()[1] < 50e6
    tracemalloc.stop()


def test_only_the_arrays_that_are_asked_for_are_loaded(tmp_path):
    path = _bomb(tmp_path / "users.npz", "notes", 0.5)
    vectors = np.random.default_rng(0).normal(size=(20, 4))
    with zipfile.ZipFile(path, "a") as archive, archive.open("user_vectors.npy", "w") as member:
        np.lib.format.write_array(member, vectors)
    tracemalloc.start()
    assert np.array_equal(entities("users", path, "user").vectors, vectors)
    assert tracemalloc.get_traced_memory()[1] < 50e6
    tracemalloc.stop()
