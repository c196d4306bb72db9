"""Queries, imputation and relevance: what is likely given what is known, exact or sampled."""

from depnet.inference.compare import Comparison, compare
from depnet.inference.density import LogProbability, log_probability
from depnet.inference.impute import Imputation, impute
from depnet.inference.most_probable import MostProbable, most_probable
from depnet.inference.query import query
from depnet.inference.result import QueryResult
from depnet.inference.rows import RowsResult, query_rows
from depnet.inference.support import Support

__all__ = [
    "Comparison",
    "Imputation",
    "LogProbability",
    "MostProbable",
    "QueryResult",
    "RowsResult",
    "Support",
    "compare",
    "impute",
    "log_probability",
    "most_probable",
    "query",
    "query_rows",
]
