"""The few array and callback types that everyone uses."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
# Told what is being done, for whoever waits.
Progress = Callable[[str], None]
