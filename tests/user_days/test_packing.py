from evenhand.user_days.packing import packed, unpacked


def test_what_is_packed_is_unpacked():
    parts = {"users": b"\x00\n\xff", "told": b"", "more": b'{"a": 1}\n'}
    assert unpacked(packed(parts)) == parts
