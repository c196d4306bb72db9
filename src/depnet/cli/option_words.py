"""What the library calls its arguments, as the command calls its options: a message must say what can be typed here."""

import re

_OPTIONS = {
    r'\(missing="state" of [^)]*\)': "with --missing state",
    r'missing="state"': "--missing state",
    r"Drop it, or make": "Leave it out (--without), or make",
    r"leave it out with columns=\[\.\.\.\]": "leave it out with --without",
    r"columns=\[\.\.\.\]": "--columns or --without",
    r'encoding="([\w-]+)"': r"--encoding \1",
    r"delimiter=\.\.\.\.?": "--delimiter.",
    r"header=False": "--no-header",
    r"where=(\.\.\.)?": "--where ",
    r"text=\[('[^']*')\]": r"--text \1",
    r"text=\[\.\.\.\]": "--text",
    r', or (say|choose) format="csv"': "",
    r"Give a penalty, or validation=\.": "Give a table with more rows, or --validation.",
    r'penalty="(\w+)"': r"--penalty \1",
    r"smoothing=([\d.]+)": r"--smoothing \1",
    r'method="([\w-]+)"': r"--method \1",
    r" \(joint=False\)": "",
    r"Sample instead \(depnet\.sample\), ask for a few targets only \(depnet\.query keeps the nodes they need\)": (
        "Give --method sample, ask for fewer targets"
    ),
}


def as_options(text: str) -> str:
    """The message in the command's own words.

    >>> as_options('It looks like an identifier: leave it out with columns=[...].')
    'It looks like an identifier: leave it out with --without.'
    """
    for argument, option in _OPTIONS.items():
        text = re.sub(argument, option, text)
    return text
