"""Variables, domains and tables of codes; frames and files in and out.

binning  numbers, dates and moments as states: where columns are cut
table    variables, tables of codes with and without holes, and the road from any table to these
frames   from codes back to frames
files    tables in CSV, TSV, JSON lines, Parquet and Excel files, in bounded memory
titanic  a small table to try things on
"""

from depnet.data.binning.bins import Bins
from depnet.data.frames.decode import decode, fill
from depnet.data.table.columns import Layout
from depnet.data.table.dataset import Dataset, Holed
from depnet.data.table.encode import describe, encode
from depnet.data.table.variable import Domain, Label, Variable
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
