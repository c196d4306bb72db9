"""Tables in files, through DuckDB: what is there, what each column holds, its states, its codes.

source   a path or a stream -> a local file whose format and compression are known
text     CSV, TSV and JSON -> columns of text in a temporary Parquet file
diagnose why a text file cannot be read: the line, and what to do
kinds    what each column of text holds: numbers, dates, labels
engine   DuckDB, kept from every other file and from the network
rows     the rows and columns that were asked for, as one view
ranks    the values of a column in their order, also where they do not fit in memory
states   pass 1: each column's variable, by the rules for frames
codes    pass 2: each column's codes
"""
