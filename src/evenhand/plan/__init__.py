"""The audit plan: what is audited, with which data, and how; a file that is checked before anything runs."""

from evenhand.plan.model import Plan, load
from evenhand.plan.runner import run

__all__ = ["Plan", "load", "run"]
