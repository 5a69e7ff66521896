"""Declarations of functions in Swift files, as text."""

import re
from collections import namedtuple

from layering import switches

Parameter = namedtuple("Parameter", "name label type")
Function = namedtuple("Function", "name line parameters")

DECLARATION = re.compile(r"\b(?:func\s+([^\s(<]+|<[^\s(]*)|(init)[?!]?|(subscript))\s*(?=[(<])")
CLOSING = {"(": ")", "[": "]", "{": "}"}


def functions(text):
    """The functions, initializers and subscripts that a file declares."""
    code = switches.without_comments(text)
    for match in DECLARATION.finditer(code):
        before = code[max(0, match.start() - 1):match.start()]
        start = after_generics(code, match.end())
        if before == "." or start is None or code[start] != "(":
            continue
        end = closing(code, start)
        if match[2] and not is_declaration(code, match.start(), end):
            continue
        parameters = [
            parameter(part, labelled=not match[3]) for part in parts(code[start + 1:end])]
        line = code.count("\n", 0, match.start()) + 1
        yield Function(match[1] or match[2] or match[3], line, parameters)


def is_declaration(code, start, end):
    """Whether `init(...)` declares an initializer: a word or the start of a line is before it."""
    line = code[code.rfind("\n", 0, start) + 1:start].strip()
    return re.fullmatch(r"(@?\w+(\([^)]*\))?\s*)*", line) is not None


def after_generics(code, position):
    if position < len(code) and code[position] == "<":
        depth = 0
        while position < len(code):
            depth += {"<": 1, ">": -1}.get(code[position], 0)
            position += 1
            if depth == 0:
                break
    while position < len(code) and code[position].isspace():
        position += 1
    return position if position < len(code) else None


def closing(code, start):
    """The offset of the bracket that closes the one at `start`."""
    depth = 0
    for position in range(start, len(code)):
        depth += {"(": 1, ")": -1}.get(code[position], 0)
        if depth == 0:
            return position
    return len(code)


def parts(text):
    """The parameters in a list, split at the commas outside of brackets."""
    depth, start = 0, 0
    for position, character in enumerate(text):
        if character in "([{<":
            depth += 1
        elif character in ")]}" or character == ">" and text[position - 1] != "-":
            depth -= 1
        elif character == "," and depth == 0:
            yield text[start:position]
            start = position + 1
    if text[start:].strip():
        yield text[start:]


def parameter(text, labelled):
    names, _, type = text.partition(":")
    words = re.sub(r"@\w+(\([^)]*\))?", "", names).split()
    label = words[0] if len(words) > 1 or labelled else "_"
    return Parameter(words[-1] if words else "", label, type.strip())
