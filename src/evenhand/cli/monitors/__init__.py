"""`evenhand monitor`."""
