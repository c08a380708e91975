"""Programs, mail servers and files that fail or hang: told later, and never more than can be said."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from email import message_from_string
from email.policy import default
from pathlib import Path

import pytest

from evenhand.monitor.delivery import deliver
from evenhand.monitor.delivery.lines import send as add_line
from evenhand.monitor.delivery.message import Attempt, Message, NotDelivered
from evenhand.plan.watched.channels import File
from monitor.delivery.receivers import Clock, mail_server
from monitor.followed import BAD, GOOD, followed, monitoring


@pytest.fixture
def world(tmp_path):
    world = followed(tmp_path)
    yield world
    world.store.close()


def told(world, channel, clock, looks=(BAD, GOOD)):
    """A monitor with these looks and one channel; what a first and a later delivery say."""
    plan = monitoring(tell=[{"name": "x", **channel}])
    world.looks(list(looks), plan)

    def send(after=0):
        clock.now += after
        return deliver(world.store, 1, plan, Path(world.address).parent, clock=clock)

    return send


def script(folder, text):
    path = folder / "tell.sh"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return {"by": "command", "run": ["./tell.sh"], "timeout": 1}


def test_a_program_gets_the_message_and_its_id(world, tmp_path):
    send = told(
        world, script(tmp_path, 'cat >> got; echo >> got; echo "$EVENHAND_MESSAGE_ID" >> ids'), Clock()
    )
    assert send().delivered == 2
    got = [json.loads(line) for line in (tmp_path / "got").read_text().splitlines()]
    assert [one["type"] for one in got] == ["flag.opened", "flag.closed"]
    assert (tmp_path / "ids").read_text().split() == [one["id"] for one in got]


def test_no_shell_reads_what_a_program_is_given(world, tmp_path):
    path = tmp_path / "tell.sh"
    path.write_text('#!/bin/sh\nprintf "%s" "$1" > got\n')
    path.chmod(0o755)
    channel = {"by": "command", "run": ["./tell.sh", "$(touch evil); `touch evil`"]}
    told(world, channel, Clock())()
    assert (tmp_path / "got").read_text() == channel["run"][1]
    assert not (tmp_path / "evil").exists()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("echo hunter2 >&2; exit 3", "it ended with 3"),
        ("kill -9 $$", "it ended with -9"),
        ("exec 0<&-; exit 1", "it ended with 1"),
        ("sleep 30", "it did not end within 1 seconds, and was stopped"),
        ("sleep 31 & sleep 32", "it did not end within 1 seconds, and was stopped"),
    ],
)
def test_a_program_that_fails_or_hangs_is_tried_again(world, tmp_path, text, why):
    send = told(world, script(tmp_path, f"if [ -e well ]; then exit 0; fi\n{text}"), Clock())
    began = time.monotonic()
    (line,) = send().lines()
    assert time.monotonic() - began < 25  # a program that sleeps was not waited for
    assert line.startswith(
        f"2 messages for 'x' not delivered after 1 attempt: {why}. The next attempt is due at 2"
    )
    (tmp_path / "well").touch()
    assert send(60).delivered == 2


def test_what_a_program_started_ends_with_it(world, tmp_path):
    told(world, script(tmp_path, "(sleep 60 & echo $! > child; wait)"), Clock())()
    child = int((tmp_path / "child").read_text())
    for _ in range(100):
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            return
        if Path(f"/proc/{child}/stat").exists() and ") Z " in Path(f"/proc/{child}/stat").read_text():
            return
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    raise AssertionError("it is still there")


@pytest.mark.parametrize("program", ["./nowhere.sh", "no-such-program", "./"])
def test_a_program_that_is_not_there(world, program):
    (line,) = told(world, {"by": "command", "run": [program]}, Clock())().lines()
    assert "cannot be run (" in line


def mail_to(server, *to):
    sent = {"sender": "evenhand@example.org", "to": list(to or ["a@example.org"]), "timeout": 1}
    return {"by": "email", "host": "127.0.0.1", "port": server.port, "security": "none", **sent}


def test_a_mail_is_one_that_people_can_read(world):
    with mail_server() as server:
        send = told(world, mail_to(server, "a@example.org", "b@example.org"), Clock())
        assert send().lines() == ["2 messages delivered."]
        assert send(60).lines() == []
    opened, closed = (message_from_string(one, policy=default) for one in server.got)
    assert opened["subject"] == "Home feed: flag “penalty” opened"
    assert opened["to"] == "a@example.org, b@example.org"
    assert opened["auto-submitted"] == "auto-generated"
    lines = opened.get_content().strip().splitlines()
    assert lines[0].startswith("Opportunity is unequal") or "limit 10%" in lines[0]
    assert lines[1] == "The flag “penalty” opened on 2026-01-01."
    assert opened["message-id"] != closed["message-id"]
    assert opened["message-id"].endswith("-1@example.org>")


@pytest.mark.parametrize(
    ("refuses", "why"),
    [
        ({"MAIL": 550}, "the mail server refused (550)"),
        ({"DATA": 451}, "the mail server refused (451)"),
        ({"a@example.org": 550}, "the mail server refused every address (550)"),
    ],
)
def test_a_mail_server_that_refuses_is_asked_again(world, refuses, why):
    with mail_server() as server:
        server.refuses = refuses
        send = told(world, mail_to(server), Clock())
        (line,) = send().lines()
        assert why in line
        assert "hunter2" not in line
        server.refuses = {}
        assert send(60).delivered == 2
    assert len(server.got) == 2


def test_an_address_that_is_refused_does_not_hold_up_the_others(world):
    with mail_server() as server:
        server.refuses = {"b@example.org": 550}
        send = told(world, mail_to(server, "a@example.org", "b@example.org"), Clock())
        assert send().lines() == ["2 messages delivered.", *["'x': refused for 1 of 2 addresses."] * 2]
        assert send(4000).lines() == []
    assert len(server.got) == 2


def test_a_mail_server_that_hangs_or_is_away(world):
    with mail_server() as server:
        server.hangs = True
        send = told(world, mail_to(server), Clock())
        assert "no answer within 1 seconds" in send().lines()[0]
    assert "the mail server cannot be reached (Connection refused)" in send(60).lines()[0]


def test_a_password_that_is_not_set_is_said(world):
    channel = {**mail_to(type("S", (), {"port": 9})()), "user": "me", "password_from": "NO_SUCH_VARIABLE"}
    assert (
        "the environment variable NO_SUCH_VARIABLE is not set" in told(world, channel, Clock())().lines()[0]
    )


def test_a_password_is_not_sent_in_the_clear(world, monkeypatch):
    """A server that offers no encryption gets neither the password nor the message."""
    monkeypatch.setenv("MAIL_PASSWORD", "hunter2")
    with mail_server() as server:
        channel = {**mail_to(server), "security": "starttls", "user": "me", "password_from": "MAIL_PASSWORD"}
        (line,) = told(world, channel, Clock())().lines()
        assert "the mail server failed (SMTPNotSupportedError)" in line
        assert server.got == []


def test_a_file_has_a_line_a_message_and_each_once(world, tmp_path):
    send = told(world, {"by": "file", "path": "flags.jsonl"}, Clock())
    assert send().delivered == 2
    lines = (tmp_path / "flags.jsonl").read_text().splitlines()
    assert [json.loads(line)["type"] for line in lines] == ["flag.opened", "flag.closed"]


def attempt(folder, number=1):
    return Attempt(
        Message(f"flag-{number}", json.dumps({"id": f"flag-{number}", "text": "é" * 40})), 0, folder
    )


def test_a_line_that_is_there_is_not_added_again(tmp_path):
    file = File(name="x", by="file", path="f")
    (tmp_path / "f").write_text("of somebody else, without an end")
    for number in (1, 2, 1, 2, 1):
        add_line(file, attempt(tmp_path, number))
    first, *lines = (tmp_path / "f").read_text().splitlines()
    assert first == "of somebody else, without an end"
    assert [json.loads(line)["id"] for line in lines] == ["flag-1", "flag-2"]


@pytest.mark.parametrize("cut", [0, 1, 20, 60, 10_000])
def test_a_line_that_a_crash_cut_short_is_made_whole(tmp_path, cut):
    file = File(name="x", by="file", path="f")
    add_line(file, attempt(tmp_path, 1))
    whole = attempt(tmp_path, 2).message.content.encode()
    with (tmp_path / "f").open("ab") as half:
        half.write(whole[:cut])
    add_line(file, attempt(tmp_path, 2))
    ids = [json.loads(line)["id"] for line in (tmp_path / "f").read_bytes().split(b"\n") if line]
    assert ids == ["flag-1", "flag-2"]


def test_a_full_disk_leaves_whole_lines_and_is_tried_again(world, tmp_path):
    """A limit of the process stands for the end of the disk: the system takes a part and refuses the rest."""
    send = told(world, {"by": "file", "path": "flags.jsonl"}, Clock(), [BAD])
    text = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "from evenhand.monitor.delivery.lines import send\n"
        "from evenhand.monitor.delivery.message import *\n"
        "from evenhand.plan.watched.channels import File\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "file, message = File(name='x', by='file', path='flags.jsonl'), Message('a', '{}' * 200)\n"
        "try: send(file, Attempt(message, 0, Path(sys.argv[1])))\n"
        "except NotDelivered as why: print(why)\n"
    )
    (tmp_path / "flags.jsonl").write_text("kept\n")
    said = subprocess.run([sys.executable, "-c", text, tmp_path], capture_output=True, text=True, check=True)
    assert said.stdout == "the file cannot be written (File too large)\n"
    assert (tmp_path / "flags.jsonl").read_text() == "kept\n"
    assert send().delivered == 1


@pytest.mark.parametrize(
    "path", ["missing/flags.jsonl", "file/flags.jsonl", ".", "pipe", "/proc/flags.jsonl"]
)
def test_a_place_that_cannot_be_written_is_said_and_tried_again(world, tmp_path, path):
    (tmp_path / "file").touch()
    os.mkfifo(tmp_path / "pipe")
    send = told(world, {"by": "file", "path": path}, Clock(), [BAD])
    (line,) = send().lines()
    assert "it is not a file" in line or "the file cannot be written (" in line
    if path.startswith("missing"):
        (tmp_path / "missing").mkdir()
        assert send(60).delivered == 1


def test_the_home_folder_of_nobody_is_no_fault_of_ours(world):
    send = told(world, {"by": "file", "path": "~nobody-is-called-so/flags.jsonl"}, Clock(), [BAD])
    (line,) = send().lines()
    assert "its path begins with the home folder of nobody; write the whole path." in line


def test_a_file_that_may_not_be_written(tmp_path):
    """As somebody else where we are root, to whom nothing is forbidden."""
    tmp_path.chmod(0o755)
    (tmp_path / "f").write_text("kept\n")
    (tmp_path / "f").chmod(0o444)
    we = os.geteuid()
    if we == 0:
        os.seteuid(65534)
    try:
        with pytest.raises(NotDelivered, match="Permission denied"):
            add_line(File(name="x", by="file", path=str(tmp_path / "f")), attempt(tmp_path))
    finally:
        os.seteuid(we)
    assert (tmp_path / "f").read_text() == "kept\n"
