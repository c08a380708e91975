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
# What each is about, in a list of several.
TOPICS: Mapping[str, str] = {
    "creators": "creators' opportunity",
    "users": "how well users are served",
    "exposure": "who is shown to whom",
    "envy": "envy between users",
    "embeddings": "how items lean in the embeddings",
}
