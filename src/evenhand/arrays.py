"""The few array and callback types that everyone uses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
# A row for each entity, in single or double precision.
Vectors = NDArray[np.floating[Any]]
# Told what is being done, for whoever waits.
Progress = Callable[[str], None]
