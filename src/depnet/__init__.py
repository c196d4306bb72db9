"""depnet: probabilistic dependency networks. Learn a table's joint distribution, ask it anything."""

from depnet import geometry
from depnet.data import Dataset, Domain, Variable, titanic
from depnet.exact import (
    Consistency,
    RecurrentClass,
    consistency,
    law_path,
    recurrent_classes,
    stationary,
    stationary_cycle,
)
from depnet.geometry import empirical
from depnet.inference import (
    Imputation,
    LogProbability,
    MostProbable,
    QueryResult,
    RowsResult,
    impute,
    log_probability,
    most_probable,
    query,
    query_rows,
    sweep_density,
)
from depnet.learning.certificate import Certificate, certificate
from depnet.learning.framework import SplitMerge, WithLossless, learn_with
from depnet.learning.learn import learn
from depnet.learning.links import Link, links
from depnet.learning.parameters import learn_parameters
from depnet.learning.penalty import Aic, Mdl, NoPenalty, StructuralMdl
from depnet.model import (
    ConditionalTable,
    ConstantSource,
    DecisionGraph,
    FunctionSource,
    InformationSource,
    LosslessSource,
    Merge,
    Network,
    Node,
    RandomScan,
    SequentialScan,
    Split,
    TabulatedSource,
)
from depnet.model.file import load, save
from depnet.model.score import score, score_samples
from depnet.sampling import Sampler, expectation, sample, trace

__version__ = "0.1.0"

__all__ = [
    "Aic",
    "Certificate",
    "ConditionalTable",
    "Consistency",
    "ConstantSource",
    "Dataset",
    "DecisionGraph",
    "Domain",
    "FunctionSource",
    "Imputation",
    "InformationSource",
    "Link",
    "LogProbability",
    "LosslessSource",
    "Mdl",
    "Merge",
    "MostProbable",
    "Network",
    "NoPenalty",
    "Node",
    "QueryResult",
    "RandomScan",
    "RecurrentClass",
    "RowsResult",
    "Sampler",
    "SequentialScan",
    "Split",
    "SplitMerge",
    "StructuralMdl",
    "TabulatedSource",
    "Variable",
    "WithLossless",
    "certificate",
    "consistency",
    "empirical",
    "expectation",
    "geometry",
    "impute",
    "law_path",
    "learn",
    "learn_parameters",
    "learn_with",
    "links",
    "load",
    "log_probability",
    "most_probable",
    "query",
    "query_rows",
    "recurrent_classes",
    "sample",
    "save",
    "score",
    "score_samples",
    "stationary",
    "stationary_cycle",
    "sweep_density",
    "titanic",
    "trace",
]
