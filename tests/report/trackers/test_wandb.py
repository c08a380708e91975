"""Results in the real Weights & Biases, without a network: what it would send is in a file."""

from __future__ import annotations

import json
import struct
import sys
import time

import pytest

from evenhand.errors import InputError
from evenhand.report.trackers.keys import key_of

pytestmark = pytest.mark.filterwarnings("ignore")


def test_without_wandb_one_sentence_says_what_to_install(result, monkeypatch):
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(
        InputError,
        match=(
            r"^Weights & Biases is not .*pip install 'evenhand\[wandb\]', or '\.\[wandb\]' from "
            r"its folder\.$"
        ),
    ):
        result.log_wandb()


@pytest.fixture
def wandb(tmp_path, monkeypatch):
    for name in ("DIR", "DATA_DIR", "CACHE_DIR", "CONFIG_DIR"):
        monkeypatch.setenv(f"WANDB_{name}", str(tmp_path))
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    return pytest.importorskip("wandb")


HEADER, BLOCK = 7, 32768
WHOLE, LAST = 1, 4


def records(folder):
    """What was written down to be sent: records in blocks, after a header; those that end a block go on in
    the next."""
    from wandb.proto import wandb_internal_pb2

    content = next(folder.glob("wandb/offline-run-*/*.wandb")).read_bytes()
    at, begun = HEADER, b""
    while at + HEADER <= len(content):
        if BLOCK - at % BLOCK < HEADER:
            at += BLOCK - at % BLOCK
            continue
        _, length, kind = struct.unpack_from("<IHB", content, at)
        begun += content[at + HEADER : at + HEADER + length]
        at += HEADER + length
        if kind in (WHOLE, LAST):
            record = wandb_internal_pb2.Record()
            record.ParseFromString(begun)
            begun = b""
            yield record


def written(folder):
    """All records of a run, to the one that ends it: a process of W&B's own writes them, which may lag."""
    until = time.monotonic() + 60
    while True:
        kept = list(records(folder))
        if any(record.HasField("exit") for record in kept) or time.monotonic() > until:
            return kept
        time.sleep(0.05)


@pytest.mark.slow
def test_a_result_is_kept_with_its_numbers_verdicts_and_files(result, wandb, tmp_path):
    named = result.log_wandb()
    assert wandb.run is None, "a run of its own is ended"
    kept = written(tmp_path)
    history = {
        item.key or "/".join(item.nested_key): json.loads(item.value_json)
        for record in kept
        for item in record.history.item
    }
    bad, long, unknown, hidden, _ = (key_of(finding.id) for finding in result.findings)
    assert history[f"{bad}_estimate"] == 0.3
    assert history[f"{long}_high"] == pytest.approx(0.8)
    assert not any(key.startswith((unknown, hidden)) for key in history)
    summary = {
        item.key or "/".join(item.nested_key): json.loads(item.value_json)
        for record in kept
        for item in record.summary.update
    }
    assert summary[f"{bad}_verdict"] == "violation"
    assert summary[f"{hidden}_verdict"] == "not_applicable"
    runs = [record.run for record in kept if record.HasField("run")]
    assert runs[-1].run_id == named
    assert runs[-1].display_name == "Home feed"
    assert list(runs[-1].tags) == ["users: not judged"]
    artifacts = [record.request.log_artifact.artifact for record in kept if record.HasField("request")]
    artifacts += [record.artifact for record in kept if record.HasField("artifact")]
    files = {entry.path for artifact in artifacts for entry in artifact.manifest.contents}
    assert {"findings.json", "report.html", "keys.json"} <= files
