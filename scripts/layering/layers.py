"""The declared order of folders, and what contradicts it."""

import os
import re
from collections import defaultdict, namedtuple
from pathlib import Path

from . import index_store
from .index_store import BUILD_FIRST, DEFINITION, REFERENCE, TYPES

SOURCES = {".swift", ".c", ".h"}

# `layer`: counted from the lowest. `folder`: as declared.
Place = namedtuple("Place", "layer folder")
# A reference from one file to a symbol that another file of the module defines.
Reference = namedtuple("Reference", "path line column symbol target")


class DeclarationError(Exception):
    """The declared order cannot be read."""


class Module:
    """The declared order of one module: layers from the lowest, each one or several folders."""

    def __init__(self, name, longest_cycle):
        self.name = name
        self.longest_cycle = longest_cycle
        self.layers = []

    def place(self, path):
        """The layer and the declared folder of a file, by its path in the module; or None.

        A folder that is not declared itself belongs to the nearest one around it that is.
        """
        folders = {folder: index for index, layer in enumerate(self.layers) for folder in layer}
        for folder in map(str, Path(path).parents):
            if folder in folders:
                return Place(folders[folder], folder)
        return None


def read_order(path):
    """The modules that a file declares; see the text at its head."""
    modules = {}
    module = None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        text = line.split("#", 1)[0].rstrip()
        if not text:
            continue
        if not text[0].isspace():
            match = re.fullmatch(r"(\w+)(?:, cycles of at most (\d+) files)?", text)
            if not match:
                raise DeclarationError(f"{path}:{number}: this names no module: '{text}'")
            module = Module(match[1], int(match[2]) if match[2] else None)
            modules[module.name] = module
            continue
        if module is None:
            raise DeclarationError(f"{path}:{number}: the first line must name a module")
        layer = text.split()
        known = {folder for other in module.layers for folder in other}
        for folder in layer:
            if folder in known or layer.count(folder) > 1:
                raise DeclarationError(f"{path}:{number}: '{folder}' is declared twice")
        module.layers.append(layer)
    return modules


class Index:
    """What the files of a package define and refer to, by the newest unit of each file."""

    def __init__(self, store, sources):
        self._store = store
        self.units = {}
        for unit in store.units(sources):
            known = self.units.get(unit.path)
            if os.path.exists(unit.path) and (known is None or known.time < unit.time):
                self.units[unit.path] = unit
        self.occurrences = {
            path: store.occurrences(unit) for path, unit in self.units.items()}
        self.definitions = {}
        self.parents = {}
        self.extended = {}
        for path, occurrences in self.occurrences.items():
            for occurrence in occurrences:
                self._note(path, occurrence)

    def _note(self, path, occurrence):
        usr = occurrence.symbol.usr
        if occurrence.roles & DEFINITION:
            self.definitions.setdefault(usr, (path, occurrence.symbol))
        for roles, other in occurrence.relations:
            if roles & index_store.EXTENDED_BY:
                self.extended[other] = usr
            elif occurrence.roles & DEFINITION and roles & index_store.CHILD_OF:
                self.parents.setdefault(usr, other)

    def module(self, path):
        return self.units[path].module

    def references(self, path):
        """The references of a file to symbols that other files of the package define."""
        for occurrence in self.occurrences[path]:
            if not occurrence.roles & REFERENCE:
                continue
            target, symbol = self.definitions.get(occurrence.symbol.usr, (path, None))
            if target != path:
                yield Reference(path, occurrence.line, occurrence.column, symbol, target)

    def outermost(self, symbol):
        """The outermost type that a symbol is in, and the file that defines it.

        A function that is in no type of the package is given by its own name.
        """
        path, _ = self.definitions[symbol.usr]
        found = (symbol.name, path)
        usr = symbol.usr
        while usr in self.definitions:
            path, known = self.definitions[usr]
            if known.kind == index_store.EXTENSION:
                usr = self.extended.get(usr)
                continue
            if known.kind in TYPES:
                found = (known.name, path)
            usr = self.parents.get(usr)
        return found


# MARK: Checks


def package_files(folder):
    """The source files below a folder, but those in folders whose names begin with a dot."""
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if Path(name).suffix in SOURCES:
                yield Path(parent) / name


def places(module, folder):
    """The place of each file of a module, and a message for each file and folder without one."""
    found, problems, used = {}, [], set()
    for path in package_files(folder):
        place = module.place(path.relative_to(folder))
        if place is None:
            problems.append(f"{path}:1: this file is in no folder that has a layer")
        else:
            found[str(path)] = place
            used.add(place.folder)
    for declared in (name for layer in module.layers for name in layer):
        if declared not in used:
            problems.append(f"{folder / declared}:1: this layer has no file")
    return found, problems


def stale_files(index, paths):
    """Messages for the files that the index does not know, or not as they are now."""
    for path in paths:
        if Path(path).suffix != ".swift":
            continue
        if path not in index.units:
            yield f"{path}:1: the index does not have this file; {BUILD_FIRST}"
        elif index.units[path].time < os.stat(path).st_mtime_ns:
            yield f"{path}:1: the index is older than this file; {BUILD_FIRST}"


def upward_references(index, module, found):
    """A message for each place where a file refers to a higher layer."""
    seen = set()
    for path in sorted(found):
        for reference in index.references(path) if path in index.units else ():
            target = found.get(reference.target)
            spot = (path, reference.line, reference.column, reference.target)
            if target is None or target.layer <= found[path].layer or spot in seen:
                continue
            seen.add(spot)
            yield (
                f"{path}:{reference.line}:{reference.column}: {reference.symbol.name} is of "
                f"{target.folder}, a layer above {found[path].folder}")


def largest_cycle(index, paths):
    """The largest set of files of which each leads to each other by references."""
    graph = defaultdict(set)
    for path in paths:
        if path in index.units:
            graph[path] = {
                reference.target for reference in index.references(path)
                if reference.target in paths}
    return max(strong_components(graph), key=len, default=[])


def strong_components(graph):
    """The strongly connected components of a graph (Tarjan's algorithm, without recursion)."""
    numbers, lows, stack, on_stack, components = {}, {}, [], set(), []

    def enter(node):
        numbers[node] = lows[node] = len(numbers)
        stack.append(node)
        on_stack.add(node)
        return node, iter(graph[node])

    for root in list(graph):
        work = [] if root in numbers else [enter(root)]
        while work:
            node, rest = work[-1]
            following = next(rest, None)
            if following is not None:
                if following not in numbers:
                    work.append(enter(following))
                elif following in on_stack:
                    lows[node] = min(lows[node], numbers[following])
                continue
            work.pop()
            if work:
                lows[work[-1][0]] = min(lows[work[-1][0]], lows[node])
            if lows[node] == numbers[node]:
                component = []
                while not component or component[-1] != node:
                    component.append(stack.pop())
                    on_stack.discard(component[-1])
                components.append(component)
    return components


# MARK: The seam


def seam(index, user, provider):
    """The types of one module that another one uses, by the folder that defines them."""
    types = defaultdict(set)
    for path in index.units:
        if index.module(path) != user:
            continue
        for reference in index.references(path):
            if index.module(reference.target) == provider:
                name, definer = index.outermost(reference.symbol)
                types[Path(definer).parent.name].add(name)
    return types


def documented_seam(path, heading):
    """The names in code style in the table below a heading of a document."""
    names, is_inside = set(), False
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            is_inside = line.lstrip("#").strip() == heading
        elif is_inside and line.startswith("|"):
            names.update(re.findall(r"`([^`]+)`", line.split("|")[2]))
    return names
