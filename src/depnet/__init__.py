"""depnet: probabilistic dependency networks. Learn a table's joint distribution, ask it anything.

Names are imported when they are first used, so that `import depnet` is quick. An export has three places
below: what type checkers read, `__all__`, and where the name is found. A test says that they agree.
"""

import importlib
import sys
from typing import TYPE_CHECKING

from depnet.removed import NAMES as REMOVED

if TYPE_CHECKING:
    from depnet import geometry
    from depnet.data import Dataset, Domain, Variable, titanic
    from depnet.data.read import read
    from depnet.data.write import write
    from depnet.estimators import (
        DependencyNetwork,
        DependencyNetworkClassifier,
        DependencyNetworkImputer,
    )
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
        Comparison,
        Imputation,
        LogProbability,
        MostProbable,
        QueryResult,
        RowsResult,
        compare,
        impute,
        log_probability,
        most_probable,
        query,
        query_rows,
    )
    from depnet.learning.auto import tune
    from depnet.learning.certificate import Certificate, certificate
    from depnet.learning.framework import SplitMerge, WithLossless, learn_with
    from depnet.learning.learn import learn
    from depnet.learning.links import Link, links
    from depnet.learning.parameters import learn_parameters
    from depnet.learning.penalty import Aic, Mdl, NoPenalty, StructuralMdl
    from depnet.learning.trials import Tuning
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
    "Comparison",
    "ConditionalTable",
    "Consistency",
    "ConstantSource",
    "Dataset",
    "DecisionGraph",
    "DependencyNetwork",
    "DependencyNetworkClassifier",
    "DependencyNetworkImputer",
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
    "Tuning",
    "Variable",
    "WithLossless",
    "certificate",
    "compare",
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
    "read",
    "recurrent_classes",
    "sample",
    "save",
    "score",
    "score_samples",
    "stationary",
    "stationary_cycle",
    "titanic",
    "trace",
    "tune",
    "write",
]

_NAMES = {
    "depnet.data": "Dataset Domain Variable titanic",
    "depnet.data.read": "read",
    "depnet.data.write": "write",
    "depnet.estimators": "DependencyNetwork DependencyNetworkClassifier DependencyNetworkImputer",
    "depnet.exact": "Consistency RecurrentClass consistency law_path recurrent_classes stationary "
    "stationary_cycle",
    "depnet.geometry": "empirical",
    "depnet.inference": "Comparison Imputation LogProbability MostProbable QueryResult RowsResult compare impute "
    "log_probability most_probable query query_rows",
    "depnet.learning.auto": "tune",
    "depnet.learning.certificate": "Certificate certificate",
    "depnet.learning.framework": "SplitMerge WithLossless learn_with",
    "depnet.learning.learn": "learn",
    "depnet.learning.links": "Link links",
    "depnet.learning.parameters": "learn_parameters",
    "depnet.learning.penalty": "Aic Mdl NoPenalty StructuralMdl",
    "depnet.learning.trials": "Tuning",
    "depnet.model": "ConditionalTable ConstantSource DecisionGraph FunctionSource InformationSource "
    "LosslessSource Merge Network Node RandomScan SequentialScan Split "
    "TabulatedSource",
    "depnet.model.file": "load save",
    "depnet.model.score": "score score_samples",
    "depnet.sampling": "Sampler expectation sample trace",
}
_HOME = {name: module for module, names in _NAMES.items() for name in names.split()}
_SUBMODULES = (
    "cluster",
    "data",
    "errors",
    "estimators",
    "exact",
    "explorer",
    "geometry",
    "inference",
    "law",
    "learning",
    "model",
    "paper",
    "pictures",
    "sampling",
)


if not TYPE_CHECKING:  # a type checker would take any misspelt name for granted

    def __getattr__(name: str) -> object:
        """The exported name or the submodule, imported now and kept."""
        if name in _HOME:
            value = getattr(importlib.import_module(_HOME[name]), name)
        elif name in _SUBMODULES:
            value = importlib.import_module(f"depnet.{name}")
        elif name in REMOVED:
            raise AttributeError(f"depnet.{name} was removed; {REMOVED[name]}.")
        else:
            module = sys.modules[__name__]  # with it, Python suggests the nearest name
            raise AttributeError(f"module 'depnet' has no attribute {name!r}", name=name, obj=module)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*__all__, *_SUBMODULES, *(name for name in globals() if name.startswith("__"))})
