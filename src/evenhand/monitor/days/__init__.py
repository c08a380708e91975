"""The days of a monitor: added, corrected, taken out, forgotten."""
