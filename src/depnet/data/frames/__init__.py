"""The way back, from codes to frames: pandas, polars, pyarrow, numpy, lists of dictionaries.

within     where in their bins numbers lie, given those before them
decode     from codes to a frame, and into the holes of one
dtypes     column types as plain values, for the model file
"""
