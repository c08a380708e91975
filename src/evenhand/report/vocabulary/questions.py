"""The questions that a report answers, by their ids."""

from __future__ import annotations

from collections.abc import Mapping

QUESTIONS: Mapping[str, str] = {
    "creators": "Do creators get equal opportunity?",
    "users": "Which users are served worst?",
    "exposure": "Who is shown to whom?",
    "envy": "Would users be better off with another user's recommendations?",
    "embeddings": "What do the embeddings know about people?",
}
# Parts of the answer about creators, by the audits that give them.
PARTS: Mapping[str, str] = {
    "stages": "Where does it arise?",
    "series": "Does it last?",
    "compare": "Did the change help?",
    "experiments": "Did the changes help?",
    "boost": "Would other weights help?",
}
