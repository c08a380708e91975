"""A message by HTTP: signed, to the one address that the plan names, within a time limit."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

import httpx

from evenhand.monitor.delivery.limits import within
from evenhand.monitor.delivery.message import Attempt, NotDelivered, from_environment
from evenhand.monitor.delivery.signing import signed
from evenhand.plan.watched.channels import Webhook, forbidden, on_this_machine

# A receiver may ask to be left alone for so long, and not longer.
_LONGEST_WAIT = 3600.0
# They write down addresses, which may be secrets, and headers.
_TALKATIVE = ("httpx", "httpcore.connection", "httpcore.http11", "httpcore.proxy")


def send(channel: Webhook, attempt: Attempt) -> str:
    """Send it once. Redirects are not followed: they could lead anywhere, and the plan names one place."""
    url = _address(channel)
    body = attempt.message.content.encode()
    headers = signed(attempt.message.id, int(attempt.now), body, channel.secret_from)
    headers |= {"content-type": "application/json", "user-agent": "evenhand"}
    with _silent():
        try:
            # In a thread of its own, as whoever calls may have a loop that runs.
            status, wait = within(
                channel.timeout + 1,
                lambda: asyncio.run(_posted(url, body, headers, channel.timeout, attempt.now)),
            )
        except (TimeoutError, httpx.TimeoutException):
            raise NotDelivered(f"no answer within {channel.timeout} seconds") from None
        except httpx.HTTPError as error:
            trusted = "CERTIFICATE" not in str(error)
            why = "it cannot be reached" if trusted else "its certificate is not trusted"
            raise NotDelivered(f"{why} ({type(error).__name__})") from None
        except (httpx.InvalidURL, ValueError, OSError):
            raise NotDelivered("its address cannot be used") from None
    if not 200 <= status < 300:
        raise NotDelivered(f"it answered {status}", wait)
    return ""


async def _posted(
    url: str, body: bytes, headers: dict[str, str], seconds: float, now: float
) -> tuple[int, float | None]:
    """The status of the answer, whose content nobody reads, and how long to wait. The limit is for all of
    it: a receiver that sends a byte now and then would otherwise hold us for ever."""
    parts = urlsplit(url)
    proxies = not on_this_machine(parts.hostname or "")
    trusted = httpx.create_ssl_context() if parts.scheme == "https" else False  # slow, and not for nothing
    async with (
        asyncio.timeout(seconds),
        httpx.AsyncClient(timeout=seconds, trust_env=proxies, verify=trusted) as client,
        client.stream("POST", url, content=body, headers=headers) as answer,
    ):
        return answer.status_code, _asked_for(answer.headers.get("retry-after", ""), now)


def _asked_for(after: str, now: float) -> float | None:
    """Seconds for which a receiver asks to be left alone: a number of them, or a time (RFC 9110)."""
    if after.isdecimal() and len(after) < 10:
        return min(float(after), _LONGEST_WAIT)
    try:
        until = parsedate_to_datetime(after).timestamp()
    except (ValueError, OverflowError):
        return None
    return min(max(until - now, 0.0), _LONGEST_WAIT)


def _address(channel: Webhook) -> str:
    if channel.url_from is None:
        assert channel.url is not None
        return channel.url
    url = from_environment(channel.url_from)
    if wrong := forbidden(url):
        raise NotDelivered(f"the address in {channel.url_from} {wrong}")
    return url


@contextmanager
def _silent() -> Iterator[None]:
    loggers = [logging.getLogger(name) for name in _TALKATIVE]
    before = [one.disabled for one in loggers]
    for one in loggers:
        one.disabled = True
    try:
        yield
    finally:
        for one, was in zip(loggers, before, strict=True):
            one.disabled = was
