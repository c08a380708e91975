"""The only place that reads users' tables; it checks everything on the way in."""

from evenhand.inputs.buckets import bucket
from evenhand.inputs.checks import (
    PROBLEMS,
    any_label,
    explain_problems,
    finite,
    positives,
    problem_counts,
    unique_key,
    without_problems,
)
from evenhand.inputs.joins import join_attribute, same_key_types
from evenhand.inputs.naming import as_groups, word
from evenhand.inputs.numbers import numbers_of
from evenhand.inputs.tables import Table, different_data, same_label_definition, table
from evenhand.inputs.weights import WEIGHT_SUMS, weight_sum, weight_sums
from evenhand.inputs.words import several

__all__ = [
    "PROBLEMS",
    "WEIGHT_SUMS",
    "Table",
    "any_label",
    "as_groups",
    "bucket",
    "different_data",
    "explain_problems",
    "finite",
    "join_attribute",
    "numbers_of",
    "positives",
    "problem_counts",
    "same_key_types",
    "same_label_definition",
    "several",
    "table",
    "unique_key",
    "weight_sum",
    "weight_sums",
    "without_problems",
    "word",
]
