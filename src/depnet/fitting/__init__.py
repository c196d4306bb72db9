"""The one way from a table to a fitted model, which the command, the page and the estimators all take.

In reading order:

    fit           `fit(table, options)`: complete the holes, learn the paper's network, learn the ordered law
    choose_missing  which holes are states of their columns
    complete      rounds of learning and of redrawing the holes of a table
    worth         how many rows the law is worth beside the table, and the intervals of answers rest on
    number        the law of a number: its mean by fits without a part of the rows each, and the node of what is left
    forests       what the imputer says of holes: the network, and forests of values over several completed tables
    summary       what a model is worth in plain figures, and all that there is to say of it in one text
"""
