"""Results in a real MLflow with a store of its own."""

from __future__ import annotations

import json
import os
import sys

import pytest

from evenhand.errors import InputError
from evenhand.report.trackers.keys import key_of
from evenhand.results import AuditResult

# MLflow warns of itself and of what it imports.
pytestmark = pytest.mark.filterwarnings("ignore")


def test_without_mlflow_one_sentence_says_what_to_install(result, monkeypatch):
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(
        InputError,
        match=(
            r"^MLflow is not installed, .*pip install 'evenhand\[mlflow\]', or '\.\[mlflow\]' "
            r"from its folder\.$"
        ),
    ):
        result.log_mlflow()


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store with an experiment in it; making its tables takes longer than all the rest."""
    os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
    tracker = pytest.importorskip("mlflow")
    folder = tmp_path_factory.mktemp("store")
    tracker.set_tracking_uri(f"sqlite:///{folder}/mlflow.db")
    tracker.create_experiment("feed", artifact_location=(folder / "artifacts").as_uri())
    return tracker, tracker.get_tracking_uri()


@pytest.fixture
def mlflow(store):
    tracker, address = store
    tracker.set_tracking_uri(address)
    tracker.set_experiment("feed")
    return tracker


@pytest.mark.slow
def test_a_result_is_kept_with_its_numbers_verdicts_and_files(result, mlflow, tmp_path):
    run = mlflow.get_run(result.log_mlflow())
    bad, long, unknown, hidden, _ = (key_of(finding.id) for finding in result.findings)
    assert run.info.status == "FINISHED"
    assert run.info.run_name == "Home feed"
    assert run.data.metrics == {
        f"{bad}/estimate": 0.3, f"{bad}/low": pytest.approx(0.2), f"{bad}/high": 0.4,
        f"{long}/estimate": 0.7, f"{long}/low": pytest.approx(0.6), f"{long}/high": pytest.approx(0.8),
    }  # fmt: skip
    tags = run.data.tags
    assert tags[f"{bad}/verdict"] == "violation"
    assert tags[f"{long}/verdict"] == "within_tolerance"
    assert tags[f"{unknown}/verdict"] == tags[f"{hidden}/verdict"] == "not_applicable"
    assert tags["evenhand.version"] == result.version
    assert tags["mlflow.note.content"].startswith("## Home feed")
    kept = mlflow.artifacts.download_artifacts(run_id=run.info.run_id, dst_path=str(tmp_path / "kept"))
    assert AuditResult.load(f"{kept}/evenhand") == result.published()
    assert "<title>Home feed</title>" in (tmp_path / "kept/evenhand/report.html").read_text()
    keys = json.loads((tmp_path / "kept/evenhand/keys.json").read_text())
    assert keys[long] == result.findings[1].id


@pytest.mark.slow
def test_a_run_that_is_going_on_is_used_step_by_step_and_left_as_it_is(result, mlflow):
    with mlflow.start_run(run_name="training", tags={"mlflow.note.content": "ours"}) as run:
        assert result.log_mlflow(step=1) == result.log_mlflow(step=2) == run.info.run_id
        assert mlflow.active_run() is not None
    history = mlflow.MlflowClient().get_metric_history(
        run.info.run_id, f"{key_of(result.findings[0].id)}/estimate"
    )
    assert [point.step for point in history] == [1, 2]
    assert mlflow.get_run(run.info.run_id).data.tags["mlflow.note.content"] == "ours"


@pytest.mark.slow
def test_more_findings_than_mlflow_takes_at_once(mlflow, result):
    first = result.findings[0]
    many = AuditResult(
        tuple(
            first.amended(about={"users": {"town": f"town {number}"}, "metric": "mrr@5"})
            for number in range(400)
        )
    )
    run = mlflow.get_run(many.log_mlflow())
    assert len(run.data.metrics) == 1200
    assert sum(tag.endswith("/verdict") for tag in run.data.tags) == 400


@pytest.mark.slow
def test_a_server_that_is_away_is_told_in_one_sentence(result, mlflow, monkeypatch):
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    mlflow.set_tracking_uri("http://127.0.0.1:9")
    with pytest.raises(InputError, match=r"^MLflow refused the result: .*127\.0\.0\.1.*\.$"):
        result.log_mlflow()
