"""What a classifier that learnt from users reads off items."""
