"""Variables, domains and tables of codes; frames and files in and out.

table    variables with their states, the joint domain, tables of codes with and without holes
binning  numbers, dates and moments as states: where columns are cut
frames   from a frame to its domain and codes, and back
files    the same for CSV, TSV, JSON lines and Parquet, in bounded memory
titanic  a small table to try things on
"""

from depnet.data.binning.bins import Bins
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
    "Variable",
    "decode",
    "describe",
    "encode",
    "fill",
    "titanic",
]
