"""Commands about plans: begin one, check it, run it, try it on halves."""
