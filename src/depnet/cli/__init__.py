"""The `depnet` command. Commands parse, call one library function and show; they do not compute.

In reading order:

    main             the group of commands, errors in one line, exit codes; what the library calls its arguments, as options
    command          what all commands share: `Run` (seed, threads, output, the answer), options, JSON
    table_options    options of commands that read a table, and of those that learn from one
    files, tables    models and tables in and out; "-" is a standard stream
    given            evidence as people write it; `completion` offers names and states in the shell
    layout, render   answers on a terminal: tables, lines and bars; `progress` draws bars on standard error
    fit, fit_chunks, update, tune                               learn; `dask_client` starts or finds workers
    query, query_each, sample, impute, score, compare           ask
    show, show_parts, model_documents, export, explore          look
    paper                                                       the paper's experiments, and their reports
    example                                                     a small table to try things on

Nothing but click is imported until a command runs, so that `--help` is quick.
"""

from depnet.cli.main import main

__all__ = ["main"]
