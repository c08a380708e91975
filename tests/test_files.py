"""What is written is there in full or not at all."""

import hashlib
import os

import pandas as pd
import pytest

import evenhand as eh
from evenhand.errors import InputError
from evenhand.files import filled, write_together


def test_nothing_is_replaced_before_all_is_written(tmp_path):
    write_together(tmp_path, {"a": "old", "b": "old"})
    with pytest.raises(KeyError), filled(tmp_path) as waiting:
        (waiting / "a").write_text({}["not there"])
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a": "old", "b": "old"}


def test_a_full_disk_is_one_sentence(tmp_path):
    with (
        pytest.raises(InputError, match=r"cannot be written to \(No space left on device\)"),
        filled(tmp_path),
    ):
        raise OSError(28, "No space left on device")
    assert not list(tmp_path.iterdir())


def test_a_link_is_replaced_and_not_followed(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("of somebody else")
    out = tmp_path / "out"
    out.mkdir()
    (out / "run.log").symlink_to(victim)
    write_together(out, {"run.log": "ours"})
    assert victim.read_text() == "of somebody else"
    assert not (out / "run.log").is_symlink()


def test_no_device_is_replaced(tmp_path):
    """Such as /dev/null, which would be gone for everybody; a pipe is made more easily."""
    os.mkfifo(tmp_path / "null")
    (tmp_path / "link").symlink_to(tmp_path / "null")
    for name in ("null", "link"):
        with pytest.raises(InputError, match=f"{name} is a device or a pipe there"):
            write_together(tmp_path, {name: "ours", "other": "ours"})
    assert (tmp_path / "null").is_fifo()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "null"]


def test_a_page_says_which_findings_it_is_of(tmp_path, findings):
    saved = eh.AuditResult(findings, {}).save(tmp_path)
    digest = hashlib.sha256(saved.findings.read_bytes()).hexdigest()
    assert digest in saved.report.read_text(encoding="utf-8")


@pytest.fixture
def findings():
    return (eh.Finding(audit="opportunity", measure="reo_penalty", estimate=0.1),)


@pytest.fixture
def interactions():
    pairs = [(user, (user * place) % 17) for user in range(40) for place in (1, 2, 3, 5, 7, 11)]
    return pd.DataFrame(pairs, columns=["user_id", "item_id"]).drop_duplicates()


def trained(interactions, out, seed=0):
    from evenhand.recommenders import Interactions, train_and_save

    return train_and_save("popularity", Interactions.from_frame(interactions), out, seed=seed)


def test_a_training_that_cannot_be_written_leaves_the_old_model_whole(interactions, tmp_path, monkeypatch):
    """The old test part must not be gone while the old model is still there."""
    trained(interactions, tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def full(*words, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pd.DataFrame, "to_parquet", full)
    with pytest.raises(InputError, match="No space left on device"):
        trained(interactions, tmp_path, seed=1)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_tables_of_another_model_are_refused(interactions, tmp_path):
    from evenhand.recommenders.stored.storage import TEST_FILE, table_of

    trained(interactions, tmp_path / "one")
    trained(interactions, tmp_path / "other", seed=1)
    assert table_of(tmp_path / "one", TEST_FILE) == tmp_path / "one" / TEST_FILE
    # As if the computer had stopped between two renames.
    os.replace(tmp_path / "other" / TEST_FILE, tmp_path / "one" / TEST_FILE)
    with pytest.raises(InputError, match="does not belong to the model beside it"):
        table_of(tmp_path / "one", TEST_FILE)
    assert table_of(tmp_path / "other", TEST_FILE) is None


def test_where_one_name_is_a_folder_no_file_is_replaced(tmp_path):
    (tmp_path / "findings.json").write_text("old")
    (tmp_path / "report.html").mkdir()
    with pytest.raises(InputError, match=r"report\.html is a folder"):
        write_together(tmp_path, {"findings.json": "new", "report.html": "new"})
    assert (tmp_path / "findings.json").read_text() == "old"
