"""The `switch` statements of Swift files, and which of them take all the rest for one thing."""

import re
from bisect import bisect_right
from collections import namedtuple

# One `case` or `default` of a switch. `start` and `end`: of its patterns, as offsets in the file.
# What follows `where` in a pattern is no part of it.
Label = namedtuple("Label", "line parts catches_rest")
Switch = namedtuple("Switch", "line labels")

WORD = re.compile(r"(?<![\w`.])(switch|case|default)\b")
# Patterns that everything matches: `_`, `let name`, or a tuple of these.
ANYTHING = re.compile(r"[\s(,)]*(?:(?:_|(?:let|var)\s+\w+)[\s(,)]*)+")


def without_comments(text, keeps_strings=False):
    """The text with spaces for comments, and for strings too unless they are kept.

    Every other character keeps its place.
    """
    out = list(text)
    position = 0

    def blank(start, end):
        for index in range(start, end):
            if out[index] != "\n":
                out[index] = " "

    while position < len(text):
        if text.startswith("//", position):
            end = text.find("\n", position)
            end = len(text) if end < 0 else end
            blank(position, end)
        elif text.startswith("/*", position):
            end = comment_end(text, position)
            blank(position, end)
        elif match := re.compile(r'(#*)("""|")').match(text, position):
            end = string_end(text, match.end(), match[2], match[1])
            if not keeps_strings:
                blank(position, end)
        else:
            end = position + 1
        position = end
    return "".join(out)


def comment_end(text, position):
    depth = 0
    for match in re.compile(r"/\*|\*/").finditer(text, position):
        depth += 1 if match[0] == "/*" else -1
        if depth == 0:
            return match.end()
    return len(text)


def string_end(text, position, quote, marks):
    """The offset behind a string whose contents begin at `position`."""
    while position < len(text):
        if text.startswith(quote + marks, position):
            return position + len(quote + marks)
        if text.startswith("\\" + marks + "(", position):
            position = interpolation_end(text, position + len(marks) + 2)
        else:
            position += 2 if text[position] == "\\" and not marks else 1
    return len(text)


def interpolation_end(text, position):
    depth = 1
    while position < len(text) and depth > 0:
        if match := re.compile(r'(#*)("""|")').match(text, position):
            position = string_end(text, match.end(), match[2], match[1])
            continue
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        position += 1
    return position


def switches(text):
    """The switches of a file, from its text as bytes decoded one by one, so that offsets count
    bytes as the index does."""
    code = without_comments(text)
    lines = [0] + [match.end() for match in re.finditer("\n", code)]
    found, open_switches, brackets = [], [], []
    waiting = None
    words = {match.start(): match[1] for match in WORD.finditer(code)}
    for position, character in enumerate(code):
        word = words.get(position)
        if word == "switch":
            waiting = (bisect_right(lines, position), len(brackets))
        elif word and open_switches and open_switches[-1][1] == len(brackets):
            open_switches[-1][2].append(label(code, position, word, lines))
        if character in "({[":
            brackets.append(character)
            if character == "{" and waiting and waiting[1] == len(brackets) - 1:
                open_switches.append((waiting[0], len(brackets), []))
                waiting = None
        elif character in ")}]":
            if open_switches and open_switches[-1][1] == len(brackets):
                line, _, labels = open_switches.pop()
                found.append(Switch(line, labels))
            del brackets[-1:]
    return found


def label(code, position, word, lines):
    """The label whose `case` or `default` is at a position."""
    start = end = position + len(word)
    depth = 0
    parts = []
    for match in re.compile(r"[(\[{]|[)\]}]|[,:]|\bwhere\b").finditer(code, start):
        end = match.start()
        if match[0] in "([{":
            depth += 1
        elif match[0] in ")]}":
            depth -= 1
        elif depth == 0 and match[0] == "where":
            parts.append((start, end))
            start = None
        elif depth == 0:
            if start is not None:
                parts.append((start, end))
            start = match.end()
            if match[0] == ":":
                break
    catches_rest = word == "default" or bool(ANYTHING.fullmatch(code, position + len(word), end))
    return Label(bisect_right(lines, position), parts, catches_rest)
