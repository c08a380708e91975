"""Exact exposure on a GPU: is the fused kernel right, and how fast is it?

    PYTHONPATH=src python benchmarks/exposure_gpu.py [USERS ITEMS]      (6,040 x 3,706 by default)

Needs torch and, for the fused kernel, a CUDA device and Triton; says what is missing. Nothing else of
Evenhand's dependencies is used. Without CUDA the eager version is checked and timed on the CPU.
"""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec

USERS, ITEMS = 6_040, 3_706
BETA, PATIENCE, ACCURACY = 1.0, 0.8, 1e-6
TARGET_MS = 10.0
CHECKED_USERS = 64
ROUNDS = 20
# The GPU's arithmetic is single precision: its errors beside an accuracy of 1e-6.
ALLOWED = 3e-6


def main() -> int:
    if find_spec("torch") is None:
        print("MISSING torch: nothing can be run.")
        return 2
    import torch

    try:
        import evenhand.exposure.training.differentiable  # noqa: F401
    except ImportError as error:
        print(f"MISSING what the package imports before its torch part: {error}. Is PYTHONPATH=src set?")
        return 2
    users, items = (int(value) for value in sys.argv[1:3]) if len(sys.argv) > 2 else (USERS, ITEMS)
    cuda = torch.cuda.is_available()
    print(f"python {platform.python_version()}, torch {torch.__version__}, CUDA build {torch.version.cuda}")
    print(f"device: {torch.cuda.get_device_name(0) if cuda else 'CPU only (MISSING a CUDA device)'}")
    fused = cuda and _fused_runs()
    device = torch.device("cuda" if cuda else "cpu")
    torch.manual_seed(0)
    # As a matrix factorisation gives them: products of vectors, and a popularity that most items lack.
    vectors = torch.randn(users, 32) @ torch.randn(32, items) * 0.25
    scores = (vectors + torch.randn(items) * 1.5).to(device)
    scores[:, ::17] = scores[:, ::17].masked_fill(
        torch.rand(scores[:, ::17].shape, device=device) < 0.5, -torch.inf
    )
    print(f"{users:,} users x {items:,} items, beta {BETA:g}, patience {PATIENCE:g}, accuracy {ACCURACY:g}")
    right = _check(scores, fused) & _check_cut(scores)
    fast = _time(scores, fused)
    print(f"RESULT correctness: {'passed' if right else 'FAILED'}")
    print(f"RESULT fused forward at most {TARGET_MS:g} ms: {fast}")
    return 0 if right else 1


def _fused_runs() -> bool:
    """Whether Triton is there and compiles the kernel on this machine; says why if not."""
    if find_spec("triton") is None:
        print("MISSING triton: the eager version alone is measured.")
        return False
    import torch
    import triton

    from evenhand.exposure.training import differentiable

    print(f"triton {triton.__version__}")
    try:
        from evenhand.exposure.training import fused

        asked = differentiable.Mixture(BETA, (PATIENCE,), (1.0,), ACCURACY)
        nodes = differentiable.place(torch.zeros(2, 8, device="cuda"), asked)
        fused.integrate(nodes, None, asked)
        torch.cuda.synchronize()
    except Exception as error:
        print(f"The fused kernel does not run here: {type(error).__name__}: {error}")
        return False
    return True


def _check(scores, fused: bool) -> bool:  # type: ignore[no-untyped-def]
    """Exposures and gradients of some users, at several temperatures, against double precision on the CPU."""
    import torch

    from evenhand.exposure.training import differentiable

    right = True
    some = scores[:CHECKED_USERS]
    mixtures = {
        "rbp .8": ((0.8,), (1.0,)),
        "rbp .1": ((0.1,), (1.0,)),
        "two gammas": ((0.3, 0.95), (0.4, 0.6)),
    }
    print("largest error of exposure, and of the gradient for an upstream gradient of at most 1:")
    for beta in (0.1, 1.0, 8.0):
        for name, mixture in mixtures.items():
            asked = differentiable.Mixture(beta, *mixture, ACCURACY)
            exact = replace(asked, accuracy=1e-12)
            upstream = torch.randn(some.shape, device=some.device)
            reference = differentiable.place(some.double().cpu(), exact)
            want = differentiable.integrate(reference, None, exact)
            want_slope = differentiable.integrate(reference, upstream.double().cpu(), exact)
            nodes = differentiable.place(some, asked)
            ways = {"eager": differentiable.integrate}
            if fused:
                from evenhand.exposure.training import fused as kernel

                ways["fused"] = kernel.integrate
            for way, integrate in ways.items():
                error = (integrate(nodes, None, asked).double().cpu() - want).abs().max()
                slope = integrate(nodes, upstream, asked).double().cpu()
                slope_error = (slope - want_slope).abs().max() / upstream.abs().max().cpu()
                good = bool(error <= ALLOWED) and bool(slope_error <= ALLOWED)
                right &= good
                mark = "ok" if good else "WRONG"
                print(f"  beta {beta:<4g} {name:<11} {way:<6} {error:.1e}  {slope_error:.1e}  {mark}")
    leaf = some.clone().requires_grad_()
    differentiable.plackett_luce(leaf, BETA, PATIENCE)[:, :10].sum().backward()
    absent = some == -torch.inf
    whole = bool(torch.isfinite(leaf.grad).all()) and bool((leaf.grad[absent] == 0).all())
    # Moving all scores of a user together changes nothing.
    drift = float((leaf.grad.sum(dim=1).abs() / leaf.grad.abs().sum(dim=1)).max())
    print(
        f"  autograd: finite, 0 for absent items: {whole}; sum of a user's gradient {drift:.1e} of its size"
    )
    return right and whole and drift < 1e-3


def _check_cut(scores) -> bool:  # type: ignore[no-untyped-def]
    """Exposure and gradient of lists cut at k, on this device against the CPU, and the time of one call."""
    from evenhand.exposure.training import differentiable

    right = True
    for k in (10, 100):
        found = []
        for device in (scores.device, "cpu"):
            leaf = scores[:CHECKED_USERS].to(device).detach().requires_grad_()
            exposure = differentiable.plackett_luce(leaf, BETA, PATIENCE, "dcg", ACCURACY, k=k)
            exposure[:, :10].sum().backward()
            found.append((exposure.detach().cpu(), leaf.grad.cpu()))
        (here, slope), (there, other) = found
        error, slope_error = float((here - there).abs().max()), float((slope - other).abs().max())
        good = error <= ALLOWED and slope_error <= ALLOWED
        right &= good
        took = _median_ms(
            lambda k=k: differentiable.plackett_luce(scores[:1024], BETA, PATIENCE, "dcg", ACCURACY, k=k),
            scores,
        )
        print(
            f"  DCG cut at {k:<4} {error:.1e}  {slope_error:.1e}  {'ok' if good else 'WRONG'}, "
            f"{took:.0f} ms for 1,024 users"
        )
    return right


def _time(scores, fused: bool) -> str:  # type: ignore[no-untyped-def]
    from evenhand.exposure.training import differentiable

    asked = differentiable.Mixture(BETA, (PATIENCE,), (1.0,), ACCURACY)
    nodes = differentiable.place(scores, asked)
    last = nodes.low + ((nodes.last - nodes.low) / asked.step).ceil() * asked.step
    most = float(((last - nodes.low) / asked.step).max())
    print(f"step {asked.step:.3f}, at most {most:.0f} nodes a user if no user could stop early")
    rows = {}
    upstream = scores.isfinite().to(scores.dtype)

    def eager(above):  # type: ignore[no-untyped-def]
        return lambda: differentiable.integrate(differentiable.place(scores, asked), above, asked)

    rows["eager forward"] = _median_ms(eager(None), scores)
    rows["eager backward"] = _median_ms(eager(upstream), scores)
    rows["placing the nodes"] = _median_ms(lambda: differentiable.place(scores, asked), scores)
    if fused:
        from evenhand.exposure.training import fused as kernel

        rows["fused kernel alone"] = _median_ms(lambda: kernel.integrate(nodes, None, asked), scores)
        rows["fused kernel, gradient"] = _median_ms(lambda: kernel.integrate(nodes, upstream, asked), scores)
        rows["plackett_luce, forward"] = _median_ms(
            lambda: differentiable.plackett_luce(scores, BETA, PATIENCE, accuracy=ACCURACY), scores
        )
        leaf = scores.clone().requires_grad_()

        def both() -> None:
            leaf.grad = None
            differentiable.plackett_luce(leaf, BETA, PATIENCE, accuracy=ACCURACY).backward(upstream)

        rows["plackett_luce, forward and backward"] = _median_ms(both, scores)
    for name, value in rows.items():
        print(f"  {name:<38} {value:10.2f} ms")
    if scores.is_cuda:
        import torch

        print(f"  peak GPU memory {torch.cuda.max_memory_allocated() / 1e9:.2f} GB")
    if not fused:
        return "NOT MEASURED (no fused kernel here)"
    value = rows["plackett_luce, forward"]
    return f"{'reached' if value <= TARGET_MS else 'NOT reached'} ({value:.2f} ms, whole call)"


def _median_ms(call: Callable[[], object], scores) -> float:  # type: ignore[no-untyped-def]
    """Median wall time of a call that the device has finished, after calls that warm it up."""
    import torch

    def once() -> float:
        if scores.is_cuda:
            torch.cuda.synchronize()
        start = time.perf_counter()
        call()
        if scores.is_cuda:
            torch.cuda.synchronize()
        return 1000 * (time.perf_counter() - start)

    warm = once()
    rounds = ROUNDS if warm < 2000 else 1  # a CPU at full size needs seconds a call
    if rounds > 1:
        for _ in range(3):
            once()
    return sorted(once() for _ in range(rounds))[rounds // 2]


if __name__ == "__main__":
    sys.exit(main())
