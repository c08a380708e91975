"""Clients of a fake server, closed at the end."""

import pytest

from evenhand.service import Client
from service.client.fake import AUDIT, TOKEN, Fake


@pytest.fixture
def fake():
    made = Fake()
    yield made
    made.close()


@pytest.fixture
def client(fake, tmp_path):
    """Makes clients; the patience of those for answers is that of a busy machine, unless a test says so."""
    made = []

    def make(ready=True, **options):
        options = {
            "url": fake.url,
            "token": TOKEN,
            "audit": AUDIT,
            "spool": tmp_path / "spool",
            "timeout": 20.0,
        } | options
        one = Client(options.pop("url"), options.pop("token"), options.pop("audit"), **options)
        made.append(one)
        if ready:
            assert one.ready(30)
        return one

    yield make
    for one in made:
        one.close(0)
