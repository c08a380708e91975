"""Exposure from day to day: a day is a row a user, and looks say what that day and all days tell."""
