"""The only place that reads users' tables; it checks everything on the way in."""

from evenhand.inputs.checks import (
    PROBLEMS,
    UNSEEN,
    any_label,
    explain_problems,
    finite,
    one_value_each,
    positives,
    problem_counts,
    refuse_unseen,
    unique_key,
    usable_rows,
    without_problems,
)
from evenhand.inputs.columns.bands import Bands, band_names, bands_of, refuse_no_numbers, with_whole
from evenhand.inputs.columns.buckets import bucket
from evenhand.inputs.columns.days import HOW_DAYS, day_key, first_and_last_day, require_dates, rows_of_days
from evenhand.inputs.columns.naming import apart, as_groups, together, told_apart, word
from evenhand.inputs.columns.numbers import numbers_of
from evenhand.inputs.columns.renaming import renamed
from evenhand.inputs.columns.selection import Where, conditions, in_words, kept, of_users, only, typed
from evenhand.inputs.columns.weights import WEIGHT_SUMS, weight_sum, weight_sums
from evenhand.inputs.columns.words import several
from evenhand.inputs.engines import unknown_engine
from evenhand.inputs.joined_columns import JoinedFrom
from evenhand.inputs.joins import join_attribute, same_key_types
from evenhand.inputs.known_ids import places_of
from evenhand.inputs.parts import MOST_VALUES, Untaken, in_both, part_of, taken_unnamed, untaken
from evenhand.inputs.stored.files import file_header
from evenhand.inputs.tables import Table, different_data, same_label_definition, table
from evenhand.inputs.warehouses import connected, is_warehouse, rows_of, stored_table, tables_of

__all__ = [
    "HOW_DAYS",
    "MOST_VALUES",
    "PROBLEMS",
    "UNSEEN",
    "WEIGHT_SUMS",
    "Bands",
    "JoinedFrom",
    "Table",
    "Untaken",
    "Where",
    "any_label",
    "apart",
    "as_groups",
    "band_names",
    "bands_of",
    "bucket",
    "conditions",
    "connected",
    "day_key",
    "different_data",
    "explain_problems",
    "file_header",
    "finite",
    "first_and_last_day",
    "in_both",
    "in_words",
    "is_warehouse",
    "join_attribute",
    "kept",
    "numbers_of",
    "of_users",
    "one_value_each",
    "only",
    "part_of",
    "places_of",
    "positives",
    "problem_counts",
    "refuse_no_numbers",
    "refuse_unseen",
    "renamed",
    "require_dates",
    "rows_of",
    "rows_of_days",
    "same_key_types",
    "same_label_definition",
    "several",
    "stored_table",
    "table",
    "tables_of",
    "taken_unnamed",
    "together",
    "told_apart",
    "typed",
    "unique_key",
    "unknown_engine",
    "untaken",
    "usable_rows",
    "weight_sum",
    "weight_sums",
    "with_whole",
    "without_problems",
    "word",
]
