"""The `depnet` command. Commands parse, call one library function and show; they do not compute.

In reading order:

    main             the group of commands, errors in one line, exit codes; hints of the library as options
    command          what all commands share: `Run` (seed, threads, output, the answer), options, answers as JSON or on a
                     terminal, progress on standard error
    files            models and tables in and out, with the options that say which; "-" is a standard stream
    given            evidence as people write it; names and states offered in the shell
    fit, update                                   learn
    query, sql, predict, explain, information, nearest, sample, impute, odd, score, compare    ask
    show, export, explore                         look
    serve, mcp                                    answer other programs, and assistants
    card                                          the model card
    paper, example                                the paper's experiments; a small table to try things on

Nothing but click is imported until a command runs, so that `--help` is quick.
"""

from depnet.cli.main import main

__all__ = ["main"]
