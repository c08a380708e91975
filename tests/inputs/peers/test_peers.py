"""Files of other tools as tables: recognised by what is in them, and wrong lines named by number."""

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evenhand import inputs
from evenhand.errors import InputError
from evenhand.inputs.peers import lines, recognised

RUN = "u1 Q0 a 1 2.5 t\nu1 Q0 b 2 2.5 t\nu2\tQ0  c 1 -1e-3 t\n"


def rows(path: Path) -> list[list[object]]:
    table = inputs.table(path)
    frame = table.run(table.expr).astype(object)
    return frame.where(frame.notna(), None).to_numpy().tolist()


def written(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_text(content)
    return path


def test_a_run_has_the_ranks_of_trec_eval(tmp_path: Path) -> None:
    path = written(tmp_path, "system.run", RUN)
    assert inputs.table(path).columns == ("user_id", "item_id", "rank", "score")
    assert rows(path) == [["u1", "a", 2, 2.5], ["u1", "b", 1, 2.5], ["u2", "c", 1, -1e-3]]
    assert inputs.table(path).fingerprint(3).source == "system.run"


def test_scores_are_equal_where_they_are_in_32_bits_and_ids_are_compared_as_text(tmp_path: Path) -> None:
    path = written(tmp_path, "x.txt", "1 Q0 10 1 1.00000000001 t\n1 Q0 9 2 1.0 t\n1 Q0 100 3 1 t\n")
    assert [row[1:3] for row in rows(path)] == [[10, 3], [9, 1], [100, 2]]


def test_qrels(tmp_path: Path) -> None:
    path = written(tmp_path, "test.qrels", "1 0 7 2\n1 0 8 -1\n02 0 7 1\n")
    assert rows(path) == [["1", 7, 2], ["1", 8, 0], ["02", 7, 1]]


def test_atomic_files_of_recbole(tmp_path: Path) -> None:
    users = "user_id:token\tage:float\tlikes:token_seq\tvector:float_seq\n1\t25\trock pop\t.5 1\n2\t\t\t\n"
    path = written(tmp_path, "x.user", users)
    found = inputs.table(path)
    table = found.backend.to_pyarrow(found.expr).to_pylist()
    assert table == [
        {"user_id": 1, "age": 25.0, "likes": ["rock", "pop"], "vector": [0.5, 1.0]},
        {"user_id": 2, "age": None, "likes": [], "vector": []},
    ]
    inter = written(tmp_path, "x.inter", "user_id:token\titem_id:token\trating:float\nu\t007\t4\nv\t8\t\n")
    assert rows(inter) == [["u", "007", 4.0], ["v", "8", None]]


def test_quotes_around_a_field_of_an_atomic_file_are_no_part_of_it(tmp_path: Path) -> None:
    """RecBole reads them so, and its ids are those of its embeddings."""
    content = 'user_id:token\titem_id:token\ttitle:token_seq\n"1"\t"a ""b"""\t"Weird Al"\n1\t"c\tx "y"\n'
    path = written(tmp_path, "x.inter", content)
    table = inputs.table(path)
    assert table.backend.to_pyarrow(table.expr).to_pylist() == [
        {"user_id": 1, "item_id": 'a "b"', "title": ["Weird", "Al"]},
        {"user_id": 1, "item_id": '"c', "title": ["x", '"y"']},
    ]


def test_lists_of_elliot(tmp_path: Path) -> None:
    path = written(tmp_path, "recs.tsv", "1\tNA\t3.5\n1\tb c\t2\n")
    assert rows(path) == [[1, "NA", 3.5], [1, "b c", 2.0]]


def test_a_tsv_with_a_header_is_a_table(tmp_path: Path) -> None:
    path = written(tmp_path, "recs.tsv", "user_id\titem_id\tscore\n1\t2\t3.5\n")
    assert recognised(path, "x") is None
    assert rows(path) == [[1, 2, 3.5]]


def test_item_lists_of_lenskit(tmp_path: Path) -> None:
    kind = pa.list_(pa.struct([("item_id", pa.int64()), ("rank", pa.int32()), ("score", pa.float64())]))
    lists = [[{"item_id": 3, "rank": 1, "score": 0.5}, {"item_id": 1, "rank": 2, "score": 0.1}], []]
    lists += [[{"item_id": 3, "rank": 1, "score": 0.2}]]
    pq.write_table(pa.table({"user_id": [7, 8, 9], "items": pa.array(lists, kind)}), tmp_path / "l.parquet")
    assert rows(tmp_path / "l.parquet") == [[7, 3, 1, 0.5], [7, 1, 2, 0.1], [9, 3, 1, 0.2]]


def test_compressed_and_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "system.run.gz"
    rng = np.random.default_rng(0)
    text = "".join(f"u Q0 i{item} {rank} {rng.random()} t\n" for rank, item in enumerate(range(3000), 1))
    path.write_bytes(gzip.compress(text.encode()))
    assert len(rows(path)) == 3000
    path.write_bytes(path.read_bytes()[:-2000])
    with pytest.raises(InputError, match=r"system.run.gz cannot be read to its end"):
        inputs.table(path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.run", RUN + "u3 Q0 c 1 .5\n", r"line 4 of a.run has 5 fields, but a TREC run has 6 \(user_id Q0"),
        ("a.run", RUN + "\nu3 Q0 c 1 .5 t x\n", "line 5 of a.run has 7 fields"),
        ("a.run", RUN + "u3 Q0 c 1 .5 t x y z\n", "line 4 of a.run has 9 fields"),
        ("a.run", "u Q0 i 1 .5 t x y z\n" + RUN, "line 1 of a.run has 9 fields"),
        ("a.run", RUN + "u3 Q0 c 1 nan t\n", "line 4 of a.run has 'nan' for the score, which is not a f"),
        ("a.run", RUN + "u3 Q0 c 1 1e999 t\n", "line 4 of a.run has '1e999' for the score"),
        ("a.run", RUN + "u3 Q0 c 1 1_0 t\n", "line 4 of a.run has '1_0' for the score"),
        ("a.run", RUN + "u3 Q0 c first .5 t\n", "line 4 of a.run has 'first' for the rank, which is not"),
        ("a.run", RUN + "u1 Q0 a 3 .5 t\n", r"1 of 4 lines .*lines 1 and 4 \(user u1, item a\)"),
        ("a.qrels", "u 0 i 1\nu 0 j 1.5\nu 0 k 1\n", "line 2 of a.qrels has '1.5' for the relevance"),
        ("a.qrels", "u 0 i 1\nu 0 j 1\nu 0 i 0\n", "lines 1 and 3"),
        ("a.tsv", "u\ti\t1\n\tj\t2\n", "line 2 of a.tsv has an empty user_id"),
        ("a.tsv", "u\ti\t1\nu\tj\t2\nu\tk\n", "line 3 of a.tsv has 2 fields"),
        ("a.tsv", "u\ti\t1\nu\ti\t2\n", "lines 1 and 2"),
        ("a.inter", "user_id:token\titem_id:token\n1\t2\n3\n", "line 3 of a.inter has 1 fields"),
        ("a.inter", "user_id:token\trating:float\n1\tgood\n", "line 2 of a.inter has 'good' for the rating"),
        ("a.user", "user_id:token\tv:float_seq\n1\t1 2\n2\t1 x\n", "line 3 of a.user has '1 x' for the v"),
        ("a.user", "user_id:token\tuser_id:token\n1\t1\n", "the header of a.user has a column twice"),
        ("a.inter", "user_id:token\titem_id:token\n", "a.inter has no lines"),
        ("u.data", "196\t242\t3\t881250949\n", "u.data has an extension that is not known.*do not look like"),
        ("a.run", "", "empty file"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_one_sentence(tmp_path: Path, name: str, content: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        inputs.table(written(tmp_path, name, content))


def test_text_that_is_not_utf_8(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_bytes(RUN.encode() + b"u3 Q0 \xff 1 2 t\n")
    with pytest.raises(InputError, match=r"a.run is not UTF-8 text"):
        inputs.table(tmp_path / "a.run")


def test_parts_of_a_long_file_are_one_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "ROWS", 7)
    expected = [[f"u{n // 10}", n % 10, 10 - n % 10, n / 4] for n in range(50)]
    text = "".join(f"{user} Q0 {item} 0 {score} t\n" for user, item, _, score in expected)
    assert rows(written(tmp_path, "a.run", text)) == expected
    with pytest.raises(InputError, match=r"line 51 of b.run has 3 fields"):
        inputs.table(written(tmp_path, "b.run", text + "u 0 x\n"))


def test_an_atomic_file_with_a_group_of_items(tmp_path: Path) -> None:
    path = written(tmp_path, "x.item", "item_id:token\tgenre:token_seq\n1\tdrama comedy\n2\tdrama\n")
    table = inputs.table(path, columns={"kind": "genre"})
    assert pd.Series(table.columns).tolist() == ["item_id", "kind"]
