"""Servers that are killed while requests are in flight: nothing acknowledged is lost or doubled. And servers
that are broken on purpose, so that it is known that this would be found."""

import pytest

from service.faults.conftest import kills

pytestmark = pytest.mark.slow


def test_killed_again_and_again(nursery, store, tmp_path):
    found = kills.killed_again_and_again(nursery, store, 5, tmp_path)
    assert found["requests acknowledged"] > 500


@pytest.mark.whole
@pytest.mark.parametrize(
    ("spoilt", "said"),
    [
        ("answers_before_the_commit", "(acknowledged, and is lost|was answered (otherwise|425))"),
        ("forgets_keys", "was answered (otherwise|in two ways)"),
    ],
)
def test_a_broken_server_is_found_out(nursery, store, tmp_path, spoilt, said):
    with pytest.raises(AssertionError, match=said):
        kills.killed_again_and_again(nursery, store, 5, tmp_path, spoilt=f"service.faults.spoilt:{spoilt}")


@pytest.mark.whole
def test_a_server_that_locks_no_rows_is_found_out(nursery, synced_postgres, tmp_path):
    with pytest.raises(AssertionError, match="could not be written"):
        kills.killed_again_and_again(
            nursery, synced_postgres.new_database(), 5, tmp_path, spoilt="service.faults.spoilt:locks_no_rows"
        )
