"""Passwords in addresses are seen wherever they stand, and are never shown."""

from __future__ import annotations

import pytest

import evenhand as eh
from evenhand.addresses import has_password, without_password
from evenhand.errors import InputError
from evenhand.inputs import tables_of
from evenhand.plan.init.tables import looking

SECRET = [
    "postgresql://u:hunter2@127.0.0.1:1/x",
    "postgresql://u:12/hunter2@h/x",
    "postgresql://:hunter2@h/x",
    "postgresql://u:a hunter2@h/x",
    "postgresql://u@127.0.0.1:1/x?password=hunter2",
    "postgresql://u@h/x?sslmode=require&p%61ssword=hunter2",
    "POSTGRESQL://u:hunter2@h/x",
    "https://u:hunter2@example.org/log.parquet",
]


@pytest.mark.parametrize("address", SECRET)
def test_a_password_is_refused_and_never_shown(tmp_path, address):
    assert has_password(address)
    assert "hunter2" not in without_password(address)
    for ask in (lambda: tables_of(address, address), lambda: looking.look([address])):
        with pytest.raises(InputError, match="PGPASSWORD") as refused:
            ask()
        assert "hunter2" not in str(refused.value)
    for key in (
        '[inputs.log]\npath = ["a", "{}"]',
        '[monitoring]\nstore = "{}"',
        '[monitoring]\npage = "{}"',
    ):
        plan = tmp_path / "audit.toml"
        plan.write_text(key.format(address), encoding="utf-8")
        with pytest.raises(InputError, match=r"audit.toml, line 2: .* has a password") as refused:
            eh.plan.load(plan)
        assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://u@h:5432/x?host=/tmp",
        "https://h:8443/@team/page?page=2",
        "a:b@c",
        "sqlite:///days.db",
        "s3://bucket/a@b",
    ],
)
def test_what_has_no_password_stays_as_it_is(address):
    assert not has_password(address)
    assert without_password(address) == address


def test_a_store_with_a_password_in_its_query_is_named_without_it():
    from evenhand.store.connecting import open_store

    with pytest.raises(InputError, match="cannot be reached") as refused:
        open_store("postgresql://u@127.0.0.1:1/x?password=hunter2")
    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize(
    ("asked", "said"), [("host=/nowhere/at/all", "/nowhere/at/all"), ("bogus=1", "bogus")]
)
def test_what_an_address_asks_for_is_honoured_or_refused(asked, said):
    with pytest.raises(InputError, match=r"cannot be opened \(.*" + said):
        tables_of(f"postgresql://u@/x?{asked}", "log")
