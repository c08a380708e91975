"""Labels that a log keeps otherwise than as 0 and 1: words for how a visit ended, ids that only orders have.

They are listed and never taken: which words say that a user liked something only somebody knows who has seen
the product."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from evenhand.plan.init.labelling.labels import Label
from evenhand.plan.init.meaning.attributes import is_tag
from evenhand.plan.init.meaning.columns import is_id, is_time
from evenhand.plan.init.meaning.vocabulary import ARM, DISLIKED, LIKED, RANDOM, SENSITIVE, SHOWN
from evenhand.plan.init.meaning.words import hints
from evenhand.plan.init.tables.profiling import Column, Profile

MOST_WORDS = 12
# A value of so many of the rows is what happens where nothing happens.
MOST_ROWS = 0.5
# An id that nearly all rows have, or hardly any, says nothing about what users like.
LEAST_KNOWN, MOST_KNOWN = 0.001, 0.8


def outcomes_of(profile: Profile, names: Collection[str], keys: Collection[str]) -> list[Label]:
    """The candidates among `names`: columns of few words and ids that some rows have, which tell of a visit
    and not of the user or item alone (`keys`)."""
    found = [label for name in names if (label := _outcome(profile.columns[name])) is not None]
    for key in keys:
        of_key = set(profile.depends_on([one.column for one in found if "among" in one.rule], key))
        found = [one for one in found if one.column not in of_key]
    return found


def _outcome(column: Column) -> Label | None:
    if column.kind == "text" and not is_id(column) and not is_time(column):
        return words_label(column) if _could_end_a_visit(column) else None
    known = column.known / max(column.rows, 1)
    if is_id(column) and LEAST_KNOWN < known < MOST_KNOWN and not hints(column.name, DISLIKED):
        why = f"an id that {known:.1%} of rows have, as where something was ordered"
        return Label(column.name, 0, why, {"known": True})
    return None


def _could_end_a_visit(column: Column) -> bool:
    """Whether it has a few words, and is not called like something else."""
    if hints(column.name, RANDOM | SENSITIVE | ARM | DISLIKED):
        return False
    told = any(_says_what_happened(value) for value in column.values)
    coded = any(letter.isdigit() for value in column.values for letter in str(value))
    return told or not (coded or is_tag(column) or any(hints(str(value), RANDOM) for value in column.values))


def _says_what_happened(value: Any) -> bool:
    return hints(str(value), LIKED | DISLIKED | SHOWN)


def words_label(column: Column) -> Label | None:
    """A label of a column of words: all but those that say that nothing happened, which is a guess; None
    where nothing says which these are."""
    values = column.values
    if column.kind != "text" or not 2 <= column.distinct <= MOST_WORDS or len(values) != column.distinct:
        return None
    commonest, rows = next(iter(values.items()))
    nothing = [value for value in values if hints(str(value), DISLIKED | SHOWN)]
    if rows >= MOST_ROWS * column.known and commonest not in nothing and not hints(str(commonest), LIKED):
        nothing.append(commonest)
    liked = [value for value in values if value not in nothing]
    if not nothing or not liked:
        return None
    listed = words_told(column)
    rule = {"among": liked, **({"empty": False} if column.missing else {})}
    strength = int(any(_says_what_happened(value) for value in values))
    why = f"words: {listed}; all but {' and '.join(map(str, nothing))} would be positive"
    cut = (
        f"Of the values of {column.name}, {', '.join(map(str, liked))} are taken to say that a user liked "
        f"something, and {' and '.join(map(str, nothing))} not: that is a guess. Only you know which do: "
        "change among in the plan, and check it."
    )
    return Label(column.name, strength, why, rule, cut=cut, values=listed)


def words_told(column: Column) -> str:
    """All words of a column with their rows."""
    return ", ".join(f"{value} ({n:,})" for value, n in column.values.items())


def told_words(profile: Profile, names: Collection[str], found: Collection[Label]) -> Iterator[str]:
    """Columns of words that say what happened, of which nothing says which are liked."""
    listed = {one.column for one in found}
    for name in names:
        column = profile.columns[name]
        if name in listed or column.kind != "text" or not 2 < column.distinct <= MOST_WORDS:
            continue
        if any(hints(str(value), LIKED) for value in column.values):
            yield (
                f"{profile.name}: {name} has words ({', '.join(map(str, column.values))}). If some say that "
                f'users liked something, write made.liked = {{ column = "{name}", among = ["..."] }} in the '
                "plan."
            )
