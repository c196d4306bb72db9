"""A question and its answer, as values: what every way to find it shares.

In reading order:

- `part`: what was found, and how the errors of states hang together;
- `target`: what is asked for: a variable, or whether a condition holds;
- `question`: what was asked, checked, and the answer put together, whoever found it;
- `result`, `table`: the answer with its errors, table by table;
- `numbers`: what it says of numbers, means and quantiles;
- `intervals`: between what it lies in the population that the rows come from;
- `observed`: what rows of a table say of it: their frequencies, and how many match the evidence;
- `difference`: where the law and the table differ, and who reads the answer alone should know it;
- `shown`: how it is shown: as text, in a notebook, as a frame; with small counts hidden;
- `profile`: a column of a table for a picture: shares, what is missing, a histogram of equal widths;
- `plot`: pictures of answers, by matplotlib;
- `rows`: many rows with holes, checked, equal ones answered once, and their answers;
- `given_rows`: rows of questions by labels and conditions.
"""
