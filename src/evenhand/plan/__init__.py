"""The audit plan: what is audited, with which data, and how; a file that is checked before anything runs."""

from evenhand.plan.loading import load
from evenhand.plan.model import Plan
from evenhand.plan.running.runner import run

__all__ = ["Plan", "load", "run"]
