"""The exposure that a ranking or a stochastic policy gives, exactly."""
