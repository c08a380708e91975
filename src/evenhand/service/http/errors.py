"""What went wrong, in one sentence: as a page for people with a browser, as JSON for everybody else."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import Request
from fastapi.responses import HTMLResponse, JSONResponse, Response

from evenhand.service.showing import pages


def wants_page(path: str, accept: str) -> bool:
    return "text/html" in accept and not path.startswith("/api/") and not path.endswith(".json")


def error_response(
    request: Request, status: int, said: str, headers: Mapping[str, str] | None = None
) -> Response:
    if wants_page(request.url.path, request.headers.get("accept", "")):
        return HTMLResponse(pages.error(status, said), status, headers)
    return JSONResponse({"error": said}, status, headers)
