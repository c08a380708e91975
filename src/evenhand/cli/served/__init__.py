"""`evenhand serve`."""
