"""Tables of people or things that are stored again every day: one of them is the table, not all together."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from evenhand import inputs
from evenhand.errors import InputError
from evenhand.plan.init.tables.looking import FileSet, Looked

# Larger files are logs, or take too long to look at here.
MOST_BYTES = 20_000_000
MOST_COLUMNS = 60
# Of what two snapshots share, at least so much is as it was.
_SHARE = 0.5


def latest(looked: Looked) -> None:
    """Leave of the files that a table has in folders named by days only the last one, where each has the
    same keys with the same values; that is said."""
    for place, files in enumerate(looked.tables):
        days = {path.parent for path in files.paths}
        if len(files.paths) < 2 or len(days) < len(files.paths) or files.folders or not _again(files):
            continue
        looked.tables[place] = replace(files, paths=files.paths[-1:], pattern=None)
        looked.notes.append(
            f"{files.told()} is taken for one table that {len(files.paths):,} folders have anew, as the "
            f"first and the last have the same keys: only {files.paths[-1]} is read."
        )


def _again(files: FileSet) -> bool:
    """Whether the last file says again what the first one does: a log has other rows every day."""
    ends = (files.paths[0], files.paths[-1])
    if max(path.stat().st_size for path in ends) > MOST_BYTES or len(files.columns) > MOST_COLUMNS:
        return False
    try:
        return _alike(*ends)
    except InputError:  # which is said when the table is opened
        return False


def _alike(first: Path, last: Path) -> bool:
    one, other = inputs.table(first), inputs.table(last)
    left, right = one.expr, other.expr
    schema = left.schema()
    if schema != right.schema():
        return False
    plain = [name for name, type_ in schema.items() if type_.is_integer() or type_.is_string()]
    # Times are when something was stored, and nothing that stays.
    kept = [name for name, type_ in schema.items() if not (type_.is_timestamp() or type_.is_date())]
    for key in plain:
        if not (_is_key(one, key) and _is_key(other, key)):
            continue
        both = left.inner_join(
            right.rename({f"later_{name}": name for name in schema}), [(key, f"later_{key}")]
        )
        same = {name: both[name].identical_to(both[f"later_{name}"]).sum() for name in kept}
        found = one.run(both.aggregate(evenhand_rows=both.count(), **same)).iloc[0]
        rows = int(found["evenhand_rows"])
        enough = _SHARE * int(one.run(left.aggregate(n=left.count())).n[0])
        if rows and rows >= enough and all(int(found[name] or 0) >= _SHARE * rows for name in kept):
            return True
    return False


def _is_key(table: inputs.Table, name: str) -> bool:
    t = table.expr
    found = table.run(t.aggregate(rows=t.count(), different=t[name].nunique())).iloc[0]
    return int(found["rows"]) == int(found["different"]) > 0
