"""A backup holds a store of one moment, and any store can be made from it again."""

import errno
import gzip

import pytest

from evenhand.errors import InputError
from evenhand.service.log.keeping.backups import TABLES, backup, restore
from evenhand.service.log.keeping.checking import check
from evenhand.service.log.keeping.retention import forget
from evenhand.store.connecting import open_store
from service.log.conftest import Desk
from service.log.standin import COINS


def rows(store):
    with store.reading() as connection:
        return {table.name: sorted(map(tuple, connection.execute(table.select()))) for table in TABLES}


def test_what_is_restored_is_what_was_there_and_goes_on(desk, tmp_path, time):
    audit = desk.audit()
    for _ in range(5):
        desk("reward", desk("assign", audit, "user-0").body["id"], 0.5)
    kept = desk("assign", audit, "user-0", key="k")
    count = backup(desk.store, tmp_path / "b.gz")
    other = open_store(str(tmp_path / "o.db"))
    assert restore(tmp_path / "b.gz", other) == count
    assert rows(other) == rows(desk.store)
    assert check(other, COINS).faults == []
    with pytest.raises(InputError, match="is not empty"):
        restore(tmp_path / "b.gz", other)
    other.close()
    moved = Desk(str(tmp_path / "o.db"), time)
    assert moved("assign", audit, "user-0", key="k") == kept
    assert moved("reward", kept.body["id"], 1.0, key="r").body == {"counted": True}
    moved.close()


def test_a_disk_that_is_full_leaves_the_older_backup_and_nothing_else(desk, tmp_path, monkeypatch):
    """What was written so far holds ids of people, and would fill the disk further each time."""
    (tmp_path / "out").mkdir()
    backup(desk.store, tmp_path / "out" / "b.gz")
    older = (tmp_path / "out" / "b.gz").read_bytes()
    desk.audit()

    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(InputError, match="No space left on device"):
        backup(desk.store, tmp_path / "out" / "b.gz")
    assert [path.read_bytes() for path in (tmp_path / "out").iterdir()] == [older]


@pytest.mark.parametrize("cut", [0.5, 0.98])
def test_a_backup_that_is_cut_off_changes_nothing(desk, tmp_path, cut):
    desk.audit()
    backup(desk.store, tmp_path / "b.gz")
    text = gzip.decompress((tmp_path / "b.gz").read_bytes()).decode().splitlines(keepends=True)
    (tmp_path / "c.gz").write_bytes(gzip.compress("".join(text[: int(len(text) * cut)]).encode()))
    other = open_store(str(tmp_path / "o.db"))
    with pytest.raises(InputError, match=r"cannot be restored .* nothing was changed"):
        restore(tmp_path / "c.gz", other)
    assert not any(rows(other).values())
    other.close()


def test_a_backup_of_which_a_bit_has_changed_is_refused(desk, tmp_path):
    """Its rows may be JSON still."""
    desk("reward", desk("assign", desk.audit(), "user-0").body["id"], 0.5)
    backup(desk.store, tmp_path / "b.gz")
    whole = (tmp_path / "b.gz").read_bytes()
    other = open_store(str(tmp_path / "o.db"))
    empty = rows(other)
    for place in range(40, len(whole), len(whole) // 150):
        (tmp_path / "b.gz").write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(InputError, match="nothing was changed"):
            restore(tmp_path / "b.gz", other)
    assert rows(other) == empty
    other.close()


def test_what_need_not_be_kept(desk, time, tmp_path):
    audit = desk.audit()
    desk("reward", desk("assign", audit, "user-0").body["id"], 0.5)
    desk("end", audit, "enough")
    time.pass_(1_000)
    other = desk.audit()
    assert forget(desk.log, time.wall, answers_s=2_000, people_s=2_000).people == 0
    gone = forget(desk.log, time.wall, answers_s=500, people_s=500)
    assert (gone.answers, gone.people) == (4, 6)
    assert desk.log.people.of(other).everybody
    assert desk.log.people.of(audit).everybody == {}
    assert check(desk.store, COINS).faults == []
