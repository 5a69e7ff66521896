"""Database files for the tests of the Studio, made with the command line tool `realm`."""

import base64
import json
import os
import pathlib
import shutil
import subprocess

MARKUP = '<img src=x onerror="window.broken=1">'
HOSTILE = [
    MARKUP,
    "</script><script>window.broken=1</script>",
    "\u202eright to left\u202c and \u200b nothing",
    "nul \u0000 escape \u001b[31m tab \t line \n end",
    "ünïcödé 日本語 مرحبا 👩‍👩‍👧‍👦",
    "javascript:window.broken=1",
    "' OR '1'='1",
    "&lt;b&gt; &amp; \"quotes\"",
]
HOSTILE_NAME = '<i title="x">&amp;'
LONGEST = 15 * (1 << 20)


def prop(name, type, **more):
    return {"name": name, "type": type, **more}


EVERY_TYPE = {
    "classes": [
        {
            "name": "Thing",
            "properties": [
                prop("id", "int", primaryKey=True),
                prop("name", "string", indexed=True),
                prop("flag", "bool", optional=True),
                prop("number", "int", optional=True),
                prop("small", "float"),
                prop("ratio", "double"),
                prop("amount", "decimal128"),
                prop("made", "date"),
                prop("blob", "data", optional=True),
                prop("uuid", "uuid"),
                prop("oid", "objectId"),
                prop("any", "mixed", optional=True),
                prop("owner", "object", target="Person"),
                prop("home", "embedded", target="Address"),
                prop("tags", "string", collection="list"),
                prop("scores", "int", collection="set"),
                prop("notes", "string", collection="map", optional=True),
                prop("friends", "object", collection="list", target="Person"),
                prop("rooms", "embedded", collection="list", target="Address"),
                prop("anything", "mixed", collection="list", optional=True),
                prop(HOSTILE_NAME, "string", optional=True),
            ],
        },
        {
            "name": "Person",
            "properties": [
                prop("id", "int", primaryKey=True),
                prop("name", "string"),
                prop("age", "int"),
                prop("boss", "object", target="Person"),
            ],
        },
        {
            "name": "Address",
            "embedded": True,
            "properties": [prop("street", "string"), prop("zip", "int")],
        },
        {"name": HOSTILE_NAME, "properties": [prop("value", "string")]},
    ]
}


def mixed(index):
    text = HOSTILE[index % len(HOSTILE)]
    return [
        index, text, 1.5, True, None, {"$date": "2026-01-02T03:04:05Z"},
        {"$data": base64.b64encode(text.encode()).decode()},
        {"$link": {"class": "Person", "id": index % 10}},
        [1, text, {"nested": [text, {"deeper": [1]}]}], {"a": text, "b": [1, 2]},
    ][index % 10]


def thing(index):
    text = HOSTILE[index % len(HOSTILE)]
    return {
        "id": index, "name": text, "flag": [True, False, None][index % 3],
        "number": None if index % 5 == 4 else 9007199254740993 + index, "small": 0.1,
        "ratio": ["nan", "inf", 1e300, -0.5][index % 4], "amount": "12.34000000000000000001",
        "made": f"20{index % 90 + 10}-02-03T04:05:06.789Z",
        "blob": base64.b64encode(text.encode() * 3).decode(),
        "uuid": f"00000000-1111-2222-3333-{index:012d}", "oid": f"{index:024x}",
        "any": mixed(index), "owner": index % 10,
        "home": {"street": text, "zip": index}, "tags": [text] * (index % 4),
        "scores": list(range(index % 5)), "notes": {text: text, "plain": None},
        "friends": list(range(index % 10)),
        "rooms": [{"street": text, "zip": room} for room in range(index % 3)],
        "anything": [mixed(index), mixed(index + 1)], HOSTILE_NAME: text,
    }


class Fixtures:
    """Makes files in a folder. `realm` is the path of the tool."""

    def __init__(self, realm, folder):
        self.realm = realm
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)

    def path(self, name):
        return str(self.folder / name)

    def run(self, *arguments, **more):
        return subprocess.run(
            [self.realm, *arguments], check=True, capture_output=True, text=True, **more)

    def import_lines(self, file, class_name, objects, schema=None, *options):
        lines = self.folder / "lines.jsonl"
        lines.write_text("".join(json.dumps(value) + "\n" for value in objects))
        if schema:
            document = self.folder / "schema.json"
            document.write_text(json.dumps(schema))
            options = ("--schema", str(document), *options)
        self.run("import", file, class_name, str(lines), *options)

    def change(self, file, class_name, objects):
        """Updates objects, or adds them, in one transaction of another process."""
        self.import_lines(file, class_name, objects, None, "--existing", "update")

    def every_type(self, name="things.realm", things=60, with_long_values=True):
        file = self.path(name)
        people = [
            {"id": index, "name": f"Person {index} {HOSTILE[index % len(HOSTILE)]}",
             "age": 20 + index, "boss": index - 1 if index else None}
            for index in range(10)
        ]
        self.import_lines(file, "Person", people, EVERY_TYPE)
        self.import_lines(file, "Thing", map(thing, range(things)), EVERY_TYPE)
        self.import_lines(
            file, HOSTILE_NAME, [{"value": text} for text in HOSTILE], EVERY_TYPE)
        if not with_long_values:
            return file
        long = thing(things)
        long["name"] = ("long " + MARKUP) * (LONGEST // (5 + len(MARKUP)))
        long["blob"] = base64.b64encode(bytes(range(256)) * 4096).decode()
        long["tags"] = [f"tag {number}" for number in range(1000)]
        self.import_lines(file, "Thing", [long], EVERY_TYPE)
        return file

    def many(self, count, name="many.realm"):
        file = self.path(name)
        records = self.folder / "many.csv"
        with records.open("w") as output:
            output.write("id,name,value,group\n")
            for index in range(count):
                output.write(f"{index},row {index},{index * 7919 % count},{index % 100}\n")
        self.run("import", file, "Row", str(records), "--infer", "--primary-key", "id")
        return file

    def long_texts(self, count, name):
        """Texts of a kilobyte each, which take a while to be copied."""
        file = self.path(name)
        schema = {"classes": [{"name": "Text", "properties": [
            prop("id", "int", primaryKey=True), prop("text", "string")]}]}
        self.import_lines(
            file, "Text", ({"id": id, "text": f"{id} " * 170} for id in range(count)), schema)
        return file

    def encrypted(self, name="secret.realm"):
        file = self.path(name)
        schema = {"classes": [{"name": "Secret", "properties": [
            prop("id", "int", primaryKey=True), prop("text", "string")]}]}
        self.import_lines(file, "Secret", [{"id": 1, "text": "hidden"}], schema)
        key = self.folder / "secret.key"
        key.write_text(bytes(range(64)).hex())
        self.run("encrypt", file, "--new-key-file", str(key))
        return file, key.read_text()

    def example(self, name):
        """Runs the commands that the README of an example shows. Returns the files they made."""
        source = pathlib.Path(__file__).parents[3] / "Examples" / name
        folder = self.folder / name
        folder.mkdir()
        for text in source.glob("*.txt"):
            shutil.copy(text, folder)
        commands = []
        is_shown = False
        for line in (source / "README.md").read_text().splitlines():
            if line.startswith("```"):
                is_shown = line == "```console"
            elif is_shown and line.startswith(("$ ", "> ")):
                commands.append(line[2:])
        programs = os.path.dirname(self.realm)
        # Some of the commands show what goes wrong.
        subprocess.run(
            ["bash", "-c", "\n".join(commands)], cwd=folder, capture_output=True, timeout=120,
            env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"})
        return {path.name: str(path) for path in sorted(folder.glob("*.realm"))}

    def damaged(self, name="damaged.realm"):
        file = self.many(20_000, name)
        with open(file, "r+b") as output:
            place = output.read().index(b"row 10000")
            output.seek(place // 4096 * 4096 + 100)
            output.write(b"\xa5" * 64)
        return file
