"""How much random traffic is needed, from what is known or assumed."""
