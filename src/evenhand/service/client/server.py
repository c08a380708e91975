"""One question to the server and its answer: within a time in all, and of a size that is bounded."""

from __future__ import annotations

import json
import re
import ssl
from collections.abc import Mapping
from typing import Any, NamedTuple

import anyio
import httpx

from evenhand.errors import InputError

_MOST_BYTES = 1 << 20


class UnansweredError(Exception):
    """No answer, or none that can be used. `why` is a word for counts, the text a sentence for people."""

    def __init__(self, why: str, sentence: str, wait_s: float = 0.0) -> None:
        super().__init__(sentence)
        self.why, self.wait_s = why, wait_s


class Said(NamedTuple):
    status: int
    body: Any  # of its JSON; None where there is none
    etag: str | None

    @property
    def is_refusal(self) -> bool:
        """Whether this server says so, and not a proxy on the way to where none is."""
        return isinstance(self.body, dict) and isinstance(self.body.get("error"), str)

    @property
    def sentence(self) -> str:
        error = self.body.get("error") if isinstance(self.body, dict) else None
        return f"{self.status}: {error[:300]}" if isinstance(error, str) else f"{self.status}"


def bearer(token: str) -> str:
    """The header that says who asks; refused where it can be no token."""
    if not isinstance(token, str) or not re.fullmatch(r"[\x21-\x7e]+", token):
        raise InputError("token is not a token; `evenhand serve token` makes one.")
    return f"Bearer {token}"


class Server:
    def __init__(self, url: str, token: str) -> None:
        try:
            address = httpx.URL(url)
        except (httpx.InvalidURL, TypeError):
            address = httpx.URL("")
        if address.scheme not in ("http", "https") or not address.host or address.userinfo:
            raise InputError(
                "url is not the address of a server; write one such as https://audit.example.com."
            )
        headers = {"authorization": bearer(token), "accept-encoding": "identity"}
        # Certificates are those that the system trusts (or SSL_CERT_FILE); proxies of the environment are for
        # the web, and cost more time than a visit has.
        trusted: ssl.SSLContext | bool = ssl.create_default_context() if address.scheme == "https" else False
        # Connections without a limit: a request that waits for one and gives up would leave it taken.
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=20, keepalive_expiry=30.0)
        self._http = httpx.AsyncClient(
            base_url=address, headers=headers, verify=trusted, trust_env=False, timeout=None, limits=limits
        )  # fmt: skip

    async def ask(
        self, method: str, path: str, within_s: float, *,
        said: bytes | None = None, headers: Mapping[str, str] | None = None, most_bytes: int = _MOST_BYTES,
    ) -> Said:  # fmt: skip
        """One time for all of it: looking up the name, connecting, sending, and reading to the end."""
        try:
            # Not asyncio.timeout, which also cuts off what httpx does to give a connection back.
            with anyio.fail_after(within_s):
                return await self._once_more(method, path, said, dict(headers or {}), most_bytes)
        except UnansweredError:
            raise
        except TimeoutError:
            raise UnansweredError("timeout", "The server did not answer in time.") from None
        except Exception as error:  # whatever it is, a visit must not end by it
            is_away = isinstance(error, httpx.TransportError | OSError)
            if is_away and not isinstance(error, httpx.ProtocolError):
                why, said_of_it = "unreachable", "cannot be reached"
            else:
                why, said_of_it = "wrong_answer", "gives no answer that can be read"
            raise UnansweredError(why, f"The server {said_of_it} ({type(error).__name__}).") from None

    async def close(self) -> None:
        await self._http.aclose()

    async def _once_more(
        self, method: str, path: str, said: bytes | None, headers: dict[str, str], most_bytes: int
    ) -> Said:
        """A server may close a connection that is kept just as it is used; every write has a key, so that
        asking again does nothing twice."""
        try:
            return await self._once(method, path, said, headers, most_bytes)
        except (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError):
            return await self._once(method, path, said, headers, most_bytes)

    async def _once(
        self, method: str, path: str, said: bytes | None, headers: dict[str, str], most_bytes: int
    ) -> Said:
        if said is not None:
            headers["content-type"] = "application/json"
        async with self._http.stream(method, path, content=said, headers=headers) as answer:
            content = bytearray()
            async for part in answer.aiter_raw():
                content += part
                if len(content) > most_bytes:
                    raise UnansweredError("wrong_answer", "The server's answer is too large.")
        status = answer.status_code
        body = _read(content)
        if status == 429 or status >= 500:
            wait = answer.headers.get("retry-after", "")
            sentence = f"The server answered {Said(status, body, None).sentence}"
            raise UnansweredError("server_error", sentence, float(wait) if wait.isdecimal() else 0.0)
        return Said(status, body, answer.headers.get("etag"))


def _read(content: bytearray) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None
