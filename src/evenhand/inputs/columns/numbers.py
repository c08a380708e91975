"""Columns of numbers, or of dates, as plain numbers."""

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from evenhand.errors import InputError


def numbers_of(values: pd.Series, where: str) -> NDArray[np.float64]:
    """The column as numbers, dates as seconds since 1970 (UTC where they have a zone); NaN where empty."""
    dates = _dates(values)
    if dates is not None:
        micro = dates.cast(pa.timestamp("us"), safe=False).cast(pa.int64()).cast(pa.float64(), safe=False)
        return np.asarray(micro.to_numpy(zero_copy_only=False)) / 1e6
    # pandas would make numbers of lengths of time and of complex numbers.
    given = values.astype(str) if values.dtype.kind in "mc" else values
    numbers = pd.to_numeric(given, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    wrong = ~np.isfinite(numbers) & values.notna().to_numpy()
    if wrong.any():
        raise InputError(
            f"{where}: column {values.name!r} is not a finite number in {wrong.sum():,} of {len(values):,} "
            f"rows, for example {values[wrong].tolist()[0]!r}; convert or drop them."
        )
    return numbers


def _dates(values: pd.Series) -> Any:
    """The column as Arrow sees it, if it holds dates, of whichever of the many types."""
    try:
        array = pa.array(values, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):  # a mixture
        return None
    is_date = pa.types.is_timestamp(array.type) or pa.types.is_date(array.type)
    return array if is_date else None
