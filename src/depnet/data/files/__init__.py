"""Tables in files, through DuckDB: read, diagnose, write.

source      a path or a stream -> a local file whose format and compression are known
excel       the first sheet of a workbook -> a text file
text        CSV, TSV and JSON -> columns of text in a temporary Parquet file
diagnose    why a text file cannot be read: the line, and what to do
engine      DuckDB, kept from every other file and from the network
kinds       what each column of text holds: numbers, dates, labels
declared    what a Parquet file says in Arrow's words: categories, durations
durations   durations in Parquet files, and the note that says their unit
request     what to read: columns, rows, and how text is to be taken
rows        the rows and columns that were asked for, as one relation
ranks       the values of a column in their order, also where they do not fit in memory
number_codes  the codes of numbers
states      pass 1: each column's variable, by the rule for frames
codes       pass 2: each column's codes
read        `depnet.read`: all of these, one after the other
parquet     blocks of columns as a Parquet file
write       `depnet.write`: a table to a file, whole or not at all
spreadsheet text that a spreadsheet would take for a formula, made plain
fill        a table's file with its empty cells filled, all else as it was written
"""
