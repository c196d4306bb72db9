"""`python -m depnet`: the command, where its script is not on the path."""

from depnet.cli import main

if __name__ == "__main__":
    main()
