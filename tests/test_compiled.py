"""Code that is compiled without a place to keep it."""

from evenhand.compiled import njit


def test_what_cannot_be_kept_is_compiled_all_the_same():
    """Numba keeps nothing of a function without a file, as of one whose folder cannot be written."""
    made = {}
    exec("def twice(x):\n    return 2 * x", made)
    assert njit()(made["twice"])(21) == 42
