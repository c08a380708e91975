"""A result in a run of MLflow."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

from evenhand.documents import Document
from evenhand.errors import InputError
from evenhand.report.pages import markdown
from evenhand.report.trackers.kept import Save, files_of, opened
from evenhand.report.trackers.keys import answers_of, numbers_by_key, verdicts_by_key

# What MLflow takes at once, and in one tag.
_MOST_METRICS, _MOST_TAGS, _LONGEST_TAG = 1000, 100, 5000
_FOLDER = "evenhand"
# What stands before it is a section of MLflow's charts: one a finding.
_BETWEEN = "/"


def log(document: Document, save: Save, step: int) -> str:
    """Log to the run that is going on, or to one of its own; the id of the run."""
    tracker = opened("mlflow", "MLflow")
    try:
        with files_of(document, save) as folder, _run(tracker, document) as run:
            client, now = tracker.MlflowClient(), round(time.time() * 1000)
            metrics = [
                tracker.entities.Metric(key, value, now, step)
                for key, value in numbers_by_key(document, _BETWEEN).items()
            ]
            tags = [tracker.entities.RunTag(key, value) for key, value in _tags(document).items()]
            for part in _parts(metrics, _MOST_METRICS):
                client.log_batch(run, metrics=part)
            for part in _parts(tags, _MOST_TAGS):
                client.log_batch(run, tags=part)
            client.log_artifacts(run, str(folder), _FOLDER)
    except tracker.MlflowException as error:
        raise InputError(f"MLflow refused the result: {_sentence(error)}") from error
    return run


@contextmanager
def _run(tracker: Any, document: Document) -> Iterator[str]:
    """The run that is going on, or a new one, which then says in words what was found."""
    going_on = tracker.active_run()
    if going_on is not None:
        yield going_on.info.run_id
        return
    with tracker.start_run(run_name=document.scope.get("title")) as run:
        said = markdown.render(document)
        if len(said) <= _LONGEST_TAG:
            tracker.set_tag("mlflow.note.content", said)
        yield run.info.run_id


def _tags(document: Document) -> dict[str, str]:
    """The verdict of each question and of each finding that has one, and the version."""
    told = {"evenhand.version": document.version}
    told |= {f"evenhand.{question}": verdict for question, verdict in answers_of(document).items()}
    return told | verdicts_by_key(document, _BETWEEN)


def _parts(entries: list[Any], size: int) -> Iterator[list[Any]]:
    left = iter(entries)
    while part := list(islice(left, size)):
        yield part


def _sentence(error: Exception) -> str:
    said = " ".join(str(error).split())
    return said if said.endswith(".") else f"{said}."
