"""Queries, imputation and relevance: what is likely given what is known, exact or sampled."""

from depnet.inference.query import query
from depnet.inference.result import QueryResult
from depnet.inference.support import Support

__all__ = ["QueryResult", "Support", "query"]
