"""What holds however often it is looked at."""
