"""What a finding is called where only letters, digits and underscores can be sorted and searched by."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from hashlib import sha256
from urllib.parse import unquote

from evenhand.documents import Document
from evenhand.findings import Finding

# MLflow takes 250 letters and W&B shows far fewer; the rest of a name is left to the digest.
_LONGEST = 100
_DIGEST = 10
_OTHER = re.compile(r"[^A-Za-z0-9]+")


def key_of(identifier: str) -> str:
    """A name for a finding by its id alone, so that it is the same in every run, whatever else was found.

    Of what it is about the last part stands first: pages cut names, and that part tells most findings of one
    measure apart. What ids tell apart by other letters, by capitals or beyond the cut, the digest tells
    apart: W&B takes "F" and "f" for one name.
    """
    measure, *about = unquote(identifier).split("/")
    words = _OTHER.sub("_", " ".join([measure, *reversed(about)])).strip("_")[:_LONGEST].rstrip("_")
    start = "" if words[:1].isalpha() else "_"
    return f"{start}{words}_{sha256(identifier.encode()).hexdigest()[:_DIGEST]}"


def numbers_of(finding: Finding) -> Iterator[tuple[str, float]]:
    """Its estimate and the ends of its interval, by name; nothing where there is none."""
    if finding.estimate is not None:
        yield "estimate", finding.estimate
        if finding.interval is not None:
            yield "low", finding.interval.low
            yield "high", finding.interval.high


def numbers_by_key(document: Document, between: str) -> dict[str, float]:
    """Every number of a document, by the key of its finding, `between`, and what it is."""
    return {
        f"{key_of(finding.id)}{between}{name}": number
        for finding in document.findings
        for name, number in numbers_of(finding)
    }


def verdicts_by_key(document: Document, between: str) -> dict[str, str]:
    """The verdict of every finding that has one, likewise."""
    return {
        f"{key_of(finding.id)}{between}verdict": finding.verdict.value
        for finding in document.findings
        if finding.verdict is not None
    }


def answers_of(document: Document) -> dict[str, str]:
    """The verdict of each question that was asked; "not judged" where none was set."""
    return {answer.question: answer.verdict or "not judged" for answer in document.questions}


def table_of_keys(document: Document) -> str:
    """Which finding a key stands for, as the text of a JSON file: keys are cut, ids are not."""
    told = {key_of(finding.id): finding.id for finding in document.findings}
    return json.dumps(told, indent=2, ensure_ascii=False) + "\n"
