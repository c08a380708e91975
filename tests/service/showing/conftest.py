from __future__ import annotations

import pytest

from service.showing.served import served


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    with served(tmp_path_factory.mktemp("store")) as running:
        yield running
