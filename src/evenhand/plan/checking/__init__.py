"""Every mistake of a plan, not the first: what is wrong is taken out, and the rest looked at again."""
