"""Variables, domains and tables of codes; frames in and out."""

from depnet.data.binning.bins import Bins
from depnet.data.binning.supervised import SupervisedCut
from depnet.data.frames.decode import decode
from depnet.data.frames.describe import describe
from depnet.data.frames.encode import encode
from depnet.data.frames.fill import fill
from depnet.data.table.dataset import Dataset
from depnet.data.table.domain import Domain
from depnet.data.table.holed import Holed
from depnet.data.table.layout import Layout
from depnet.data.table.variable import Label, Variable
from depnet.data.titanic import titanic

__all__ = [
    "Bins",
    "Dataset",
    "Domain",
    "Holed",
    "Label",
    "Layout",
    "SupervisedCut",
    "Variable",
    "decode",
    "describe",
    "encode",
    "fill",
    "titanic",
]
