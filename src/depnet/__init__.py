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
from depnet.inference import QueryResult, query
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
from depnet.sampling import Sampler, sample, trace

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
    "InformationSource",
    "Link",
    "LosslessSource",
    "Mdl",
    "Merge",
    "Network",
    "NoPenalty",
    "Node",
    "QueryResult",
    "RandomScan",
    "RecurrentClass",
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
    "geometry",
    "law_path",
    "learn",
    "learn_parameters",
    "learn_with",
    "links",
    "load",
    "query",
    "recurrent_classes",
    "sample",
    "save",
    "stationary",
    "stationary_cycle",
    "titanic",
    "trace",
]
