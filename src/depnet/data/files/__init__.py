"""Tables in files, through DuckDB: read, diagnose, write.

source      a path, a stream or a workbook -> a local file whose format and compression are known
text        CSV, TSV and JSON -> columns of text in a temporary Parquet file
diagnose    why a text file cannot be read: the line, and what to do
engine      DuckDB, kept from every other file and from the network
kinds       what each column of text holds: numbers, dates, labels
arrow       what a Parquet file says in Arrow's words: categories, durations
rows        what to read: columns and rows, found in the file
table       these as an opened table, like a frame, for `describe` and `encode`
read        `depnet.read`: all of these, one after the other; and a table read for a model
write       `depnet.write`: a table to a file, whole or not at all
spreadsheet text that a spreadsheet would take for a formula, made plain
fill        a table's file with its empty cells filled, all else as it was written
"""
