"""Reads the index that the Swift compiler writes in a debug build, with the toolchain's library.

The C interface is documented in the toolchain: usr/local/include/indexstore/indexstore.h.
"""

import ctypes
import json
import os
import re
import subprocess
from collections import namedtuple
from ctypes import CFUNCTYPE, POINTER, byref, c_bool, c_char, c_char_p, c_int, c_int64, c_size_t
from ctypes import c_uint, c_uint64, c_void_p
from pathlib import Path

BUILD_FIRST = "build first: swift build --traits Runner"

DEFINITION = 1 << 1
REFERENCE = 1 << 2
CHILD_OF = 1 << 9
EXTENDED_BY = 1 << 14

ENUM, STRUCT, CLASS, PROTOCOL, EXTENSION, TYPE_ALIAS, ENUM_CASE = 5, 6, 7, 8, 9, 11, 15
TYPES = {ENUM, STRUCT, CLASS, PROTOCOL, TYPE_ALIAS}

RECORD_DEPENDENCY = 2

Symbol = namedtuple("Symbol", "usr name kind")
# A place where a symbol is defined or referred to. `relations`: pairs of roles and a USR.
Occurrence = namedtuple("Occurrence", "symbol roles line column relations")
# One compiled file. `time`: when the compiler wrote it, in nanoseconds since 1970.
Unit = namedtuple("Unit", "path module time records")


class IndexFailure(Exception):
    """The index cannot be read."""


class Text(ctypes.Structure):
    _fields_ = [("data", POINTER(c_char)), ("length", c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.data, self.length).decode()


VISIT_TEXT = CFUNCTYPE(c_bool, c_void_p, Text)
VISIT = CFUNCTYPE(c_bool, c_void_p, c_void_p)

FUNCTIONS = {
    "error_get_description": (c_char_p, c_void_p),
    "store_create": (c_void_p, c_char_p, POINTER(c_void_p)),
    "store_dispose": (None, c_void_p),
    "store_units_apply_f": (c_bool, c_void_p, c_uint, c_void_p, VISIT_TEXT),
    "unit_reader_create": (c_void_p, c_void_p, c_char_p, POINTER(c_void_p)),
    "unit_reader_dispose": (None, c_void_p),
    "unit_reader_has_main_file": (c_bool, c_void_p),
    "unit_reader_get_main_file": (Text, c_void_p),
    "unit_reader_get_module_name": (Text, c_void_p),
    "unit_reader_get_modification_time": (None, c_void_p, POINTER(c_int64), POINTER(c_int64)),
    "unit_reader_dependencies_apply_f": (c_bool, c_void_p, c_void_p, VISIT),
    "unit_dependency_get_kind": (c_int, c_void_p),
    "unit_dependency_get_name": (Text, c_void_p),
    "unit_dependency_get_filepath": (Text, c_void_p),
    "record_reader_create": (c_void_p, c_void_p, c_char_p, POINTER(c_void_p)),
    "record_reader_dispose": (None, c_void_p),
    "record_reader_occurrences_apply_f": (c_bool, c_void_p, c_void_p, VISIT),
    "occurrence_get_symbol": (c_void_p, c_void_p),
    "occurrence_get_roles": (c_uint64, c_void_p),
    "occurrence_get_line_col": (None, c_void_p, POINTER(c_uint), POINTER(c_uint)),
    "occurrence_relations_apply_f": (c_bool, c_void_p, c_void_p, VISIT),
    "symbol_relation_get_roles": (c_uint64, c_void_p),
    "symbol_relation_get_symbol": (c_void_p, c_void_p),
    "symbol_get_usr": (Text, c_void_p),
    "symbol_get_name": (Text, c_void_p),
    "symbol_get_kind": (c_int, c_void_p),
}


def library_path():
    """The library of the toolchain whose `swiftc` is first in the path."""
    try:
        answer = subprocess.run(
            ["swiftc", "-print-target-info"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise IndexFailure(f"the Swift compiler does not answer: {error}") from error
    resources = Path(json.loads(answer.stdout)["paths"]["runtimeResourcePath"])
    return resources.parent / "libIndexStore.so"


class IndexStore:
    """The units and records below one folder."""

    def __init__(self, folder):
        if not os.path.isdir(folder):
            raise IndexFailure(f"there is no index at '{folder}'; {BUILD_FIRST}")
        path = library_path()
        try:
            self._library = ctypes.CDLL(str(path))
        except OSError as error:
            raise IndexFailure(f"'{path}' cannot be loaded: {error}") from error
        for name, (result, *arguments) in FUNCTIONS.items():
            function = getattr(self._library, "indexstore_" + name)
            function.restype = result
            function.argtypes = arguments
            setattr(self, "_" + name, function)
        self._store = self._opened(self._store_create, os.fsencode(folder))

    def _opened(self, create, *arguments):
        error = c_void_p()
        handle = create(*arguments, byref(error))
        if not handle:
            reason = self._error_get_description(error) if error else b"unknown reason"
            raise IndexFailure(f"the index cannot be read: {reason.decode()}")
        return handle

    def units(self, folder):
        """The units of all files below a folder, also of files that no longer exist."""
        names = []

        def visit(_, name):
            names.append(str(name))
            return True

        self._store_units_apply_f(self._store, 0, None, VISIT_TEXT(visit))
        units = (self._unit(name, str(folder) + os.sep) for name in names)
        return [unit for unit in units if unit]

    def _unit(self, name, prefix):
        reader = self._opened(self._unit_reader_create, self._store, name.encode())
        try:
            if not self._unit_reader_has_main_file(reader):
                return None
            path = str(self._unit_reader_get_main_file(reader))
            if not path.startswith(prefix):
                return None
            seconds, nanoseconds = c_int64(), c_int64()
            self._unit_reader_get_modification_time(
                reader, byref(seconds), byref(nanoseconds))
            records = []

            def visit(_, dependency):
                if self._unit_dependency_get_kind(dependency) == RECORD_DEPENDENCY and str(
                        self._unit_dependency_get_filepath(dependency)) == path:
                    records.append(str(self._unit_dependency_get_name(dependency)))
                return True

            self._unit_reader_dependencies_apply_f(reader, None, VISIT(visit))
            module = str(self._unit_reader_get_module_name(reader))
            return Unit(path, module, seconds.value * 10**9 + nanoseconds.value, records)
        finally:
            self._unit_reader_dispose(reader)

    def occurrences(self, unit):
        """All definitions of and references to symbols in the file of a unit."""
        found = []
        for record in unit.records:
            reader = self._opened(self._record_reader_create, self._store, record.encode())
            symbols = {}

            def symbol(handle):
                if handle not in symbols:
                    # An accessor has the name of its property: 'getter:count'.
                    symbols[handle] = Symbol(
                        str(self._symbol_get_usr(handle)),
                        re.sub(r"^\w+:", "", str(self._symbol_get_name(handle))),
                        self._symbol_get_kind(handle))
                return symbols[handle]

            def visit(_, occurrence):
                line, column = c_uint(), c_uint()
                self._occurrence_get_line_col(occurrence, byref(line), byref(column))
                found.append(Occurrence(
                    symbol(self._occurrence_get_symbol(occurrence)),
                    self._occurrence_get_roles(occurrence), line.value, column.value,
                    self._relations(occurrence, symbol)))
                return True

            self._record_reader_occurrences_apply_f(reader, None, VISIT(visit))
            self._record_reader_dispose(reader)
        return found

    def _relations(self, occurrence, symbol):
        relations = []

        def visit(_, relation):
            roles = self._symbol_relation_get_roles(relation)
            if roles & (CHILD_OF | EXTENDED_BY):
                relations.append(
                    (roles, symbol(self._symbol_relation_get_symbol(relation)).usr))
            return True

        self._occurrence_relations_apply_f(occurrence, None, VISIT(visit))
        return relations
