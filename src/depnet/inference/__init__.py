"""Queries, imputation and relevance: what is likely given what is known, exact or sampled."""

from depnet.inference.calibration import calibrate
from depnet.inference.compare import Comparison, compare
from depnet.inference.density import LogProbability, log_probability, sweep_density
from depnet.inference.drift import DriftReport, MarginalDrift, drift_report, marginal_drift
from depnet.inference.impute import Imputation, impute
from depnet.inference.most_probable import MostProbable, most_probable
from depnet.inference.pool import Pool
from depnet.inference.query import query
from depnet.inference.result import QueryResult
from depnet.inference.rows import RowsResult, query_rows
from depnet.inference.support import Support

__all__ = [
    "Comparison",
    "DriftReport",
    "Imputation",
    "LogProbability",
    "MarginalDrift",
    "MostProbable",
    "Pool",
    "QueryResult",
    "RowsResult",
    "Support",
    "calibrate",
    "compare",
    "drift_report",
    "impute",
    "log_probability",
    "marginal_drift",
    "most_probable",
    "query",
    "query_rows",
    "sweep_density",
]
