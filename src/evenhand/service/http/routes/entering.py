"""Routes of those who come with a browser: a token is exchanged for a cookie; and what any page needs."""

from __future__ import annotations

import asyncio
import ipaddress
import time
from urllib.parse import parse_qs

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from evenhand.service.access import sessions
from evenhand.service.http import journal
from evenhand.service.http.asking import needs
from evenhand.service.http.running import running
from evenhand.service.log.answers import RefusedError
from evenhand.service.showing import pages

router = APIRouter(tags=["pages"], include_in_schema=False)
_MOST_BYTES = 4_096  # of what a form says
_NOT_KEPT = {"cache-control": "no-store"}
_UNKNOWN = "This token is not known, or was revoked; check it, or ask for another."
_MAY_NOT = "This token may not look at pages; it needs the scope 'read'."
_NOT_HERE = "This form was sent from another site; send it from this page."
_TOO_OFTEN = "Too many attempts; wait a few seconds."
_DROPPED = (
    "Your browser did not keep the session: it does so over https, or on the computer of the server itself; "
    "put TLS in front of the server."
)


@router.get("/login")
async def login(request: Request) -> Response:
    """The form; who is logged in goes on. After a token was taken this sees whether the cookie was, too."""
    secret = request.cookies.get(sessions.COOKIE)
    if secret and await running(request).access.by_session(secret) is not None:
        return RedirectResponse("/", 303, headers=_NOT_KEPT)
    return _form(_DROPPED if request.url.query == "taken" else "", 200)


@router.post("/login")
async def enter(request: Request) -> Response:
    """A token that may read, for a cookie that no script sees and no other site can send."""
    here = running(request)
    if here.strangers.wait(request.client.host if request.client else ""):
        return _form(_TOO_OFTEN, 429)
    if request.headers.get("sec-fetch-site") in ("cross-site", "same-site"):
        return _form(_NOT_HERE, 403)
    text = parse_qs(await _short_body(request)).get("token", [""])[0].strip()
    token = await here.access.by_token(text)
    if token is None:
        return _form(_UNKNOWN, 403)
    if not token.may("read"):
        return _form(_MAY_NOT, 403)
    secret = await asyncio.to_thread(sessions.begin, here.store, token.id, time.time())
    await here.access.look()
    journal.write("logged in", token=token.id)
    entered = RedirectResponse("/login?taken", 303, headers=_NOT_KEPT)
    entered.set_cookie(
        sessions.COOKIE, secret, max_age=int(sessions.LASTS), httponly=True, samesite="strict",
        secure=is_secure(request),
    )  # fmt: skip
    return entered


@router.post("/logout", dependencies=[needs("read")])
async def leave(request: Request) -> Response:
    here, secret = running(request), request.cookies.get(sessions.COOKIE)
    if secret:
        await asyncio.to_thread(sessions.end, here.store, secret)
        await here.access.look()
    left = RedirectResponse("/login", 303, headers=_NOT_KEPT)
    left.delete_cookie(sessions.COOKIE, httponly=True, samesite="strict", secure=is_secure(request))
    return left


@router.get("/static/{name}")
async def static(request: Request, name: str) -> Response:
    found = pages.static().get(name)
    if found is None:
        raise RefusedError(404, "There is no such file.")
    kept = "public, max-age=31536000, immutable" if request.url.query == found.digest else "no-cache"
    return Response(found.content, media_type=found.kind, headers={"cache-control": kept})


def is_secure(request: Request) -> bool:
    """Whether the cookie is for https alone. A proxy on this computer says that it speaks https
    (X-Forwarded-Proto); one elsewhere reaches us by an address that is not loopback, where without TLS
    anybody on the way could read the cookie."""
    if request.url.scheme == "https":
        return True
    listening = (request.scope.get("server") or ("",))[0]
    try:
        return not ipaddress.ip_address(listening).is_loopback
    except ValueError:
        return listening != "localhost"


async def _short_body(request: Request) -> str:
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > _MOST_BYTES:
            raise RefusedError(413, "That is too long for a token.")
    return body.decode("utf-8", "replace")


def _form(said: str, status: int) -> HTMLResponse:
    return HTMLResponse(pages.login(said), status, headers=_NOT_KEPT)
