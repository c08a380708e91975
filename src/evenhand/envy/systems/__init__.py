"""Systems with known preferences, to measure envy in and to try audits on."""
