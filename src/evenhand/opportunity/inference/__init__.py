"""From counts to intervals."""
