"""The one way from a table to a fitted model, which the command, the page and the estimators all take.

In reading order:

    fit           `fit(table, options)`: complete the holes, learn the paper's network, learn the ordered law
    rows          the complete rows that both are learned from, wherever they lie
    choose_missing  which holes are states of their columns
    complete      rounds of learning and of redrawing the holes of a table
    row_order     the rows by what they say, wherever they stand in the table
    worth         how many rows the law's answers are worth beside the table's own
    sure          how many rows more the intervals of answers rest on
    cross_fitted  the mean of a number by fits without a part of the rows each
    number        the law of a number: that mean, and the node of what is left
    forests       what the imputer says of holes: the network, and forests of values over several completed tables
    explained     what a model is worth in plain figures: bits a row, and how near drawn rows are
    summary       all that there is to say of a fitted model, in one text
"""
