"""The parts of a synthetic world: people and items, tastes, plants, logs, and the exact truth."""
