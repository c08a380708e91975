"""Is the random log random, and does what users like change within it?"""
