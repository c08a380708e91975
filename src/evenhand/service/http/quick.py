"""Routes that a running system asks all day: declared like all others, and quicker.

FastAPI goes through all declarations of a route again for every request, and runs what is not a coroutine in
a thread; that takes longer than all that the route does. Here declarations are gone through once.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, get_type_hints

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.params import Depends, Header, Path
from fastapi.routing import APIRoute
from pydantic import TypeAdapter, ValidationError

_Taken = Callable[[Request], Awaitable[Any]]


class QuickRoute(APIRoute):
    """Takes parameters that are the request, something from its path, a header, or what another function
    makes of these (`Depends`)."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        first = [_called(one.dependency) for one in self.dependencies if one.dependency is not None]
        answer = _called(self.endpoint)

        async def handle(request: Request) -> Response:
            for each in first:
                await each(request)
            answered: Response = await answer(request)
            return answered

        return handle


def _called(call: Callable[..., Any]) -> _Taken:
    hints = get_type_hints(call, include_extras=True)
    taken = [(one.name, _taken(one, hints[one.name])) for one in inspect.signature(call).parameters.values()]
    waits = inspect.iscoroutinefunction(call)

    async def made(request: Request) -> Any:
        values = {name: await take(request) for name, take in taken}
        return await call(**values) if waits else call(**values)

    return made


def _taken(one: inspect.Parameter, hint: Any) -> _Taken:
    marks = getattr(hint, "__metadata__", ())
    if hint is Request:
        return _itself
    for mark in marks:
        if isinstance(mark, Depends):
            assert mark.dependency is not None, one.name
            return _called(mark.dependency)
        if isinstance(mark, Path):
            return _from_path(one.name, TypeAdapter(hint))
        if isinstance(mark, Header):
            return _from_header(mark.alias or one.name.replace("_", "-"), TypeAdapter(hint), one.default)
    raise TypeError(f"{one.name} is neither of the request, nor of its path or headers, nor made of these")


async def _itself(request: Request) -> Request:
    return request


def _from_path(name: str, kind: TypeAdapter[Any]) -> _Taken:
    async def take(request: Request) -> Any:
        return _understood(lambda: kind.validate_python(request.path_params[name]), "path", name)

    return take


def _from_header(name: str, kind: TypeAdapter[Any], default: Any) -> _Taken:
    async def take(request: Request) -> Any:
        said = request.headers.get(name)
        if said is None and default is not inspect.Parameter.empty:
            return default
        return _understood(lambda: kind.validate_strings(said), "header", name)

    return take


def _understood(read: Callable[[], Any], *where: str) -> Any:
    try:
        return read()
    except ValidationError as error:
        found = [{**one, "loc": (*where, *one["loc"])} for one in error.errors(include_url=False)]
        raise RequestValidationError(found) from None
