"""A result in a run of Weights & Biases."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from evenhand.documents import Document
from evenhand.errors import InputError
from evenhand.report.trackers.kept import Save, files_of, opened
from evenhand.report.trackers.keys import answers_of, numbers_by_key, verdicts_by_key

_LONGEST_TAG = 64
_ARTIFACT = "evenhand"
# Anything else in a name, and W&B neither sorts nor searches by it.
_BETWEEN = "_"


def log(document: Document, save: Save, step: int | None) -> str:
    """Log to the run that is going on, or to one of its own; the id of the run."""
    tracker = opened("wandb", "Weights & Biases")
    try:
        with files_of(document, save) as folder, _run(tracker, document) as run:
            run.log(numbers_by_key(document, _BETWEEN), step=step)
            # Tags are short and few: the verdict of each finding is in the summary.
            run.summary.update(verdicts_by_key(document, _BETWEEN))
            said = [f"{question}: {verdict}" for question, verdict in answers_of(document).items()]
            run.tags = tuple(dict.fromkeys((*(run.tags or ()), *(tag[:_LONGEST_TAG] for tag in said))))
            artifact = tracker.Artifact(f"{_ARTIFACT}-{run.id}", type=_ARTIFACT)
            artifact.add_dir(str(folder))
            run.log_artifact(artifact)
            name = run.id
    except tracker.errors.Error as error:
        raise InputError(f"Weights & Biases refused the result: {error}.") from error
    return name


@contextmanager
def _run(tracker: Any, document: Document) -> Iterator[Any]:
    if tracker.run is not None:
        yield tracker.run
        return
    with tracker.init(name=document.scope.get("title"), job_type="audit") as run:
        yield run
