"""Tables in files, through DuckDB: read, diagnose, write.

source      a path or a stream -> a local file whose format and compression are known; of CSV its names and dialect
workbook    the first sheet of a spreadsheet -> CSV
diagnose    why a text file cannot be read: the line, and what to do
kinds       what each column of text holds: numbers, dates, labels
table       DuckDB, kept from every other file and from the network; a table in it, opened like a frame
arrow       what a Parquet file says in Arrow's words: categories, durations
load        text -> columns of a temporary Parquet file; the columns and rows that are asked for, found there
read        `depnet.read`: all of these, one after the other; and a table read for a model
write       `depnet.write`: a table to a file, whole or not at all
fill        a table's file with its empty cells filled, all else as it was written
"""
