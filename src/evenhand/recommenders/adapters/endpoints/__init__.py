"""A recommender behind an address: it is asked for scores of pairs by HTTP, and its answers are checked.

It gets POST {"id": "7f3a...", "users": [...], "items": [...]}, two lists of equal length with a pair a place,
and answers {"scores": [...]}, one finite number a pair in the same order. Where it also sends "id", "users"
or "items" back, they must be those of the question; with both lists, pairs may be in another order.
"""

from __future__ import annotations

import importlib
import os
import re
from typing import Any
from urllib.parse import urlsplit

from evenhand.errors import InputError
from evenhand.parameters import number, text, whole
from evenhand.recommenders.adapters.endpoints.asking import Endpoint, on_this_machine
from evenhand.recommenders.adapters.pairwise import BATCH, Pairwise
from evenhand.recommenders.taken.ids import id_list

MOST_PAIRS, MOST_AT_ONCE, LONGEST_S, MOST_RETRIES = 100_000, 64, 3600.0, 20


def is_endpoint(given: Any) -> bool:
    """Whether this is an address that can be asked."""
    return isinstance(given, str) and given.lower().startswith(("http://", "https://"))


def from_http(
    url: str,
    user_ids: Any,
    item_ids: Any,
    *,
    batch: int = 1000,
    concurrency: int = 4,
    timeout: float = 30.0,
    retries: int = 4,
    token_env: str | None = None,
    trial: bool = True,
) -> Pairwise:
    """A recommender whose scores an HTTP endpoint gives, for users and items of these ids.

    It is asked for `batch` pairs at a time, by at most `concurrency` requests at once, each with `timeout`
    seconds from beginning to end. What may pass (no answer in time, a connection that breaks, 429 and 5xx) is
    asked again up to `retries` times, after a random wait that may be longer each time, or as long as the
    endpoint says. `token_env` names an environment variable whose content is sent as a bearer token. Unless
    `trial` is false, one pair is asked about at once.
    """
    where = _address(url)
    for needed in ("httpx", "anyio"):
        try:
            importlib.import_module(needed)
        except ImportError as error:
            raise InputError(
                f"an endpoint is asked with {needed}, which is not installed: pip install "
                f"'evenhand[client]', or '.[client]' from its folder."
            ) from error
    endpoint = Endpoint(
        url,
        where,
        batch=whole("batch", batch, 1, MOST_PAIRS),
        concurrency=whole("concurrency", concurrency, 1, MOST_AT_ONCE),
        timeout=number("timeout", timeout, 0, LONGEST_S, above=True),
        retries=whole("retries", retries, 0, MOST_RETRIES),
        token=None if token_env is None else _token(token_env, where),
    )
    users, items = id_list(user_ids, "user"), id_list(item_ids, "item")
    return Pairwise(
        lambda u, i: endpoint.scores(users[u].tolist(), items[i].tolist()),
        users,
        items,
        batch=BATCH,
        what=where,
        trial=trial,
    )


def _address(url: Any) -> str:
    """The address as it can be shown: without what is behind a question mark, which may be a secret."""
    try:
        parts = urlsplit(text("url", url))
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not is_endpoint(url) or not host or re.search(r"[\s\x00-\x20]", url):
        raise InputError("url is not an address to ask; write one such as https://models.example.com/score.")
    if parts.username or parts.password:
        raise InputError(
            "url has a name or a password in it, which would be kept with the results; put a token into an "
            "environment variable, and name that (token_env)."
        )
    name = f"[{host}]" if ":" in host else host
    return f"{parts.scheme.lower()}://{name}{f':{port}' if port else ''}{parts.path}"


def _token(variable: Any, where: str) -> str:
    token = os.environ.get(text("token_env", variable), "")
    if not re.fullmatch(r"[\x21-\x7e]+", token):
        raise InputError(
            f"token_env names {variable!r}, but that environment variable holds no token; set it first."
        )
    if where.startswith("http://") and not on_this_machine(where):
        raise InputError(f"{where} has no encryption, so no token is sent there; use an https:// address.")
    return token
