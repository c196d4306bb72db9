"""Slow twins: the paper's definitions with dictionaries and loops, written to be read."""
