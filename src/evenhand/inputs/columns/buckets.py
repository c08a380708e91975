"""Hash buckets of a user id: a few clusters that add up over files, days and engines."""

from __future__ import annotations

import ibis
import ibis.expr.types as ir

from evenhand.errors import InputError

# 2**32 divided by the golden ratio, taken from 2**32 (Knuth, The Art of Computer Programming 3, 6.4): odd and
# below 2**31, so that its product with 32 bits fits a signed 64-bit integer on every engine.
MULTIPLIER = 1_640_531_527
_LOW_32_BITS = 0xFFFF_FFFF
BUCKETS = 1024


def bucket(column: ir.Column, buckets: int = BUCKETS, within: tuple[int, int] | None = None) -> ir.Column:
    """The bucket, 0 to `buckets` - 1, of every value of `column`; null stays null.

    Integers: `fold = (x xor x >> 32) & (2**32 - 1)`, then the top bits of the low half of
    `fold * MULTIPLIER`. Plain integer arithmetic that never overflows, so every engine gives the same bucket,
    negative ids included. Other types: the engine's own hash. Those buckets may differ between engines and
    versions of an engine, so merge such evidence only where one engine made all of it; `sign_of` tells them
    apart.

    `within` is the range of the values where it is known (`Table.integer_range`). Ids from 0 to 2**32 - 1 are
    their own fold, so the fold is left out: the same buckets in less time.

    Measured with DuckDB 2.0 (11 million rows, 6 boolean labels, 2 groups, Parquet, 2 cores, rounds in random
    order, least of 15), in multiples of the same counts without buckets: reading the id column alone 1.34,
    grouping by the bucket and the group 1.64, without the fold 1.47, by `id & 1023` 1.47, by the engine's
    hash 1.49, by a remainder 1.58, by the xor of the ten-bit digits of the id 1.58. The fold costs so much
    because a mask hides the range that DuckDB knows from the footers, and then it checks every product for
    an overflow.

    Text could have the same buckets on every engine by MD5, which DuckDB and Spark both have. Counting takes
    about three times as long by digits of MD5 as by DuckDB's hash (benchmarks/opportunity_experiments.py), so
    the engine's is kept. It moves the error over clusters a little, and no estimate.
    """
    bits = max(buckets.bit_length() - 1, 0)
    if buckets != 1 << bits or not 2 <= bits <= 20:
        raise InputError(f"buckets is {buckets}, but must be a power of two from 4 to {1 << 20}.")
    type_ = column.type()
    if not type_.is_integer():
        return column.hash() & (buckets - 1)  # a mask, as the remainder of a negative hash is negative
    low, high = within or type_.bounds
    if low >= 0 and high <= _LOW_32_BITS:
        fold = column.cast("int64")
    else:
        # Of 64 unsigned bits half would not fit a signed integer; anything else does, and must be that wide.
        wide = column if type_.is_uint64() else column.cast("int64")
        # Two shifts of 16, as Ibis writes a shift for polars as a division by 2**n in 32 bits.
        fold = ((wide ^ ((wide >> 16) >> 16)) & _LOW_32_BITS).cast("int64")
    return ((fold * MULTIPLIER) >> (32 - bits)) & (buckets - 1)


def sign_of(rows: ir.Table) -> ir.Table:
    """What the engine of a table that is not empty makes of a fixed word: a sign of how it hashes text."""
    return rows.limit(1).select(sign=ibis.literal("evenhand").hash())
