import numpy as np
import pytest

from evenhand.errors import InputError
from evenhand.stats.randomness import seed_of


def test_a_seed_is_itself_and_a_generator_gives_one():
    assert seed_of(7) == 7
    assert seed_of(np.int64(7)) == 7
    assert seed_of(np.random.default_rng(1)) == seed_of(np.random.default_rng(1))


@pytest.mark.parametrize("wrong", [-1, 1.5, "seed", None, True, 2**63])
def test_anything_else_is_refused(wrong):
    with pytest.raises(InputError, match=r"rng \(a seed or a NumPy Generator\) is .*, but must be a whole"):
        seed_of(wrong)
