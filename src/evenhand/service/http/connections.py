"""A connection: nobody keeps one by sending the head of a request slowly, or without an end."""

from __future__ import annotations

import asyncio
import json

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

PATIENCE_S = 20.0  # for the head of a request, and for the rest of a body that nobody reads
_MOST_BYTES = 1 << 16  # of a head


class Connection(HttpToolsProtocol):
    _timer: asyncio.TimerHandle | None = None
    _in_head = True
    _bytes = 0  # of the head so far

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._go_on()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._in_head:
            self._bytes += len(data)
            if self._timer is None:
                self._wait()
        super().data_received(data)
        if self._in_head and self._bytes > _MOST_BYTES and not self.transport.is_closing():
            self._refuse(431, f"The head of the request is too large; {_MOST_BYTES:,} bytes are the most.")

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._go_on()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._in_head, self._bytes = True, 0
        self._go_on()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if not self._in_head:  # it was answered before all of it was here
            self._wait()

    def send_400_response(self, msg: str) -> None:
        self._refuse(400, "This is no request in HTTP.")

    def _wait(self) -> None:
        self._timer = self.loop.call_later(PATIENCE_S, self._give_up)

    def _go_on(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()

    def _refuse(self, status: int, sentence: str) -> None:
        body = json.dumps({"error": sentence}).encode()
        head = b"content-type: application/json\r\nconnection: close\r\ncontent-length: %d\r\n\r\n" % len(
            body
        )
        self.transport.write(STATUS_LINE[status] + head + body)
        self.transport.close()
