"""What an audit leaves behind, so that others can check it."""
