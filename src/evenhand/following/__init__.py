"""Audits whose days are results of their own: what a day keeps, and what days say together."""

from evenhand.following.day_result import DayResult
from evenhand.following.series import followed
from evenhand.following.user_rows import UserRows

__all__ = ["DayResult", "UserRows", "followed"]
