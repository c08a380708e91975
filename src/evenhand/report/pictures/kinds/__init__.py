"""What can be drawn, a kind a module."""
