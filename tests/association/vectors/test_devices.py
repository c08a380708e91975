"""The same numbers wherever products are computed."""

import builtins

import numpy as np
import pytest

from evenhand.association import audit, deaa, eaa, geaa
from evenhand.association.evidence import UnitSums
from evenhand.association.vectors import devices
from evenhand.errors import InputError

RNG = np.random.default_rng(5)
ITEMS, A, B = (RNG.normal(size=(count, 8)).astype(np.float32) for count in (900, 70, 50))


@pytest.mark.slow
def test_torch_says_what_numpy_says(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    monkeypatch.setattr(devices, "BLOCK", 128)
    np.testing.assert_allclose(eaa(ITEMS, A, B, device="cpu"), eaa(ITEMS, A, B), atol=1e-14)
    for found, expected in (
        (geaa(ITEMS, A, B, device="cpu"), geaa(ITEMS, A, B)),
        (deaa(ITEMS[:500], ITEMS[500:], A, B, device="cpu"), deaa(ITEMS[:500], ITEMS[500:], A, B)),
    ):
        assert found.estimate == pytest.approx(expected.estimate, abs=1e-14)
        assert found.p_value == expected.p_value
    with devices.on("cpu"):
        here = UnitSums.of(ITEMS).sums
    np.testing.assert_allclose(here, UnitSums.of(ITEMS).sums, atol=1e-11)


@pytest.mark.slow
def test_a_device_that_is_not_there_is_said_in_one_sentence() -> None:
    pytest.importorskip("torch")
    with pytest.raises(InputError, match="device is 'abacus', which torch cannot use here"):
        eaa(ITEMS, A, B, device="abacus")


def test_a_device_is_a_name() -> None:
    with pytest.raises(InputError, match="device is 3, but must be a name"):
        eaa(ITEMS, A, B, device=3)  # type: ignore[arg-type]


def test_without_torch_auto_is_numpy_and_a_named_device_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def no_torch(name: str, *rest: object, **more: object) -> object:
        if name == "torch":
            raise ImportError
        return real(name, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", no_torch)
    np.testing.assert_array_equal(eaa(ITEMS, A, B, device="auto"), eaa(ITEMS, A, B))
    with pytest.raises(InputError, match="torch is not installed"):
        eaa(ITEMS, A, B, device="cuda")
    assert devices.current() is None


@pytest.mark.slow
def test_an_audit_on_a_device_finds_the_same() -> None:
    pytest.importorskip("torch")
    gender = np.repeat(["a", "b"], [70, 50])
    groups = np.where(np.arange(len(ITEMS)) % 2, "odd", "even")
    people = np.concatenate([A, B])
    there, here = (
        audit(ITEMS, people, gender, groups, permutations=50, device=device).findings
        for device in ("cpu", None)
    )
    for one, other in zip(there, here, strict=True):
        assert one.subject == other.subject
        assert one.estimate == pytest.approx(other.estimate, abs=1e-12)
