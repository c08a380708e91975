"""An audit of a live system, a recommendation at a time, and what it certifies."""
