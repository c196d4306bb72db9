"""Learning from rows that lie in many parts: on the workers of a Dask cluster, or on disk."""

from depnet.cluster.learn import learn, learn_both, learn_parts

__all__ = ["learn", "learn_both", "learn_parts"]
