"""Frames in and out: pandas, polars, pyarrow, numpy, lists of dictionaries.

open       a table of any kind, column by column; files are one more kind
columns    a column, whatever it came from: labels by their places, the rest as numbers
left_out   columns that nothing can be learned from
variables  from what a column holds to its variable
describe   from a table to its domain and layout, and its codes
codes      the codes of a column under its variable
encode     from a table to codes of a domain that is there already: a model's
within     where in their bins numbers lie, given those before them
decode     from codes back to a frame
assemble   columns put together as a frame
fill       a frame with its missing values filled
dtypes     column types as plain values, for the model file
"""
