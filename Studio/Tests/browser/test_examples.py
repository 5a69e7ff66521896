"""The Studio with the files that the examples make. scripts/studio-test runs it."""

import json
import pathlib
import re
import subprocess
import unittest

from browser import BrowserTest, binaries
from playwright.sync_api import expect
from studio import until

# What each file shows: its classes, and the number of their objects.
CLASSES = {
    "kitchen.realm": {"Member": 3, "Message": 3},
    "winter.realm": {"Exam": 4},
    "monday.realm": {"Article": 5},
    "garage.realm": {"Car": 2, "Customer": 1, "Mechanic": 1, "Repair": 2},
    "hall.realm": {"Sensor": 3, "Reading": 1500},
}


class ExampleTests(BrowserTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.files = {}
        for name in ["Chat", "Exams", "Newspaper", "Sensors", "Todo", "Workshop"]:
            cls.files.update(cls.fixtures.example(name))

    def objects(self, file, class_name, key):
        lines = self.fixtures.run("export", file, class_name, "--format", "jsonl").stdout
        objects = [json.loads(line) for line in lines.split("\n") if line]
        return {value[key]: value for value in objects}

    def lines(self, program, *arguments):
        return subprocess.run(
            [str(binaries / program), *arguments], check=True, capture_output=True,
            text=True).stdout

    def names(self, page):
        return dict(zip(
            page.locator("#classes .name").all_text_contents(),
            page.locator("#classes .count").all_text_contents()))

    def test_shows_the_files_of_all_examples(self):
        studio = self.start(*(self.files[name] for name in CLASSES), self.files["home.realm"])
        page = self.open(studio)
        for number, (name, counts) in enumerate(CLASSES.items()):
            with self.subTest(file=name):
                page.goto(f"{studio.base}/#file={number}")
                expect(page).to_have_title(f"{name} - Realm Studio")
                for class_name, count in counts.items():
                    entry = page.locator(f"#classes .class[data-name='{class_name}']")
                    expect(entry.locator(".count")).to_have_text(f"{count:,}")
                    entry.click()
                    expect(page.locator("#answer")).to_contain_text(f"{count:,} object")
                    expect(page.locator("#table .rows .row:visible").first).to_contain_text("1")
                page.get_by_role("button", name="Diagram").click()
                for class_name in counts:
                    expect(page.locator("#diagram pre")).to_contain_text(
                        f"final class {class_name}: Object {{")
                page.get_by_role("button", name="Inside").click()
                page.get_by_role("button", name="Check all pages").click()
                expect(page.locator("#inside .sound")).to_contain_text("is sound")
        # What is behind a passphrase stays there.
        page.locator("#file").select_option(label="home.realm")
        expect(page.get_by_role("dialog")).to_contain_text("Key of the file")
        page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
        expect(page.locator("#main")).to_be_hidden()
        expect(page.locator("#classes")).to_be_empty()

    def test_asks_and_follows_links_in_the_workshop(self):
        page = self.open(self.start(self.files["garage.realm"]), hash="#class=Car")
        page.locator("#predicate").fill("ANY repairs.parts.name CONTAINS 'belt'")
        expect(page.locator("#answer")).to_contain_text("1 of 2 objects")
        expect(self.cell(page, 0, self.column(page, "plate"))).to_have_text("KLO-508")
        page.get_by_role("button", name="Explain").click()
        expect(page.locator("#plan")).to_contain_text("objects of Car")
        page.get_by_role("button", name="Swift").click()
        expect(page.locator("#source pre")).to_contain_text("realm.objects(Car.self)")
        self.picture(page, "workshop")
        self.cell(page, 0, self.column(page, "owner")).locator(".chip").click()
        expect(page.locator("#detail h2")).to_contain_text("Customer #")
        expect(page.locator("#detail")).to_contain_text("Ines Mora")
        page.go_back()
        expect(self.cell(page, 0, self.column(page, "plate"))).to_have_text("KLO-508")
        self.cell(page, 0, 0).click()
        repairs = page.locator("#detail dd").nth(3)
        repairs.get_by_role("button", name="Show the element").click()
        repairs.locator(".chip").click()
        expect(page.locator("#detail h2")).to_contain_text("Repair #")
        expect(page.locator("#detail")).to_contain_text("Timing belt")
        page.get_by_role("button", name="Diagram").click()
        expect(page.locator("#diagram svg")).to_contain_text("Mechanic")
        self.picture(page, "workshop-diagram")

    def test_changes_what_the_programs_read(self):
        file = self.fixtures.path("edited-garage.realm")
        pathlib.Path(file).write_bytes(pathlib.Path(self.files["garage.realm"]).read_bytes())
        before = self.objects(file, "Car", "plate")
        page = self.open(self.start(file, "--edit"), hash="#class=Car")
        expect(self.cell(page, 0, 1)).to_have_text("BRA-221")
        self.cell(page, 0, self.column(page, "model")).click()
        page.keyboard.press("F2")
        field = page.locator("#edit-field")
        expect(field).to_have_value("Fiat Panda")
        field.fill("Fiat 500")
        field.press("Enter")
        expect(self.cell(page, 0, self.column(page, "model"))).to_have_text("Fiat 500")
        self.assertIn("Fiat 500", self.lines("workshop", file, "car", "BRA-221"))
        # What a program of the example writes is shown, and the undone change beside it.
        self.lines("workshop", file, "register", "NEW-001", "Mini", "Jon Aas")
        expect(page.locator("#answer")).to_contain_text("3 objects")
        page.get_by_role("button", name="Undo").click()
        expect(self.cell(page, 0, self.column(page, "model"))).to_have_text("Fiat Panda")
        after = self.objects(file, "Car", "plate")
        self.assertEqual(after.pop("NEW-001")["model"], "Mini")
        self.assertEqual(after, before)
        # Out, and in again. Repairs have no primary key by which they would be found.
        page.locator("#columns summary").click()
        page.get_by_label("repairs", exact=True).uncheck()
        page.keyboard.press("Escape")
        page.locator("#export summary").click()
        with page.expect_download() as download:
            page.get_by_role("link", name="JSON lines").click()
        exported = self.fixtures.folder / "cars.jsonl"
        exported.write_bytes(pathlib.Path(download.value.path()).read_bytes())
        page.get_by_role("button", name="Import").click()
        page.locator("#import-file").set_input_files(str(exported))
        page.locator("#import-existing").select_option("update")
        expect(page.locator("#import-columns tr")).to_have_count(4)
        page.get_by_role("dialog").get_by_role("button", name="Import", exact=True).click()
        expect(page.locator("#edited")).to_have_text("cars.jsonl: 0 imported, 3 updated")
        page.get_by_role("button", name="Inside").click()
        page.get_by_role("button", name="Compact").click()
        expect(page.locator("#edited")).to_contain_text("Compacted:")
        self.fixtures.run("verify", file)

    def test_follows_sensors_while_they_write(self):
        file = self.fixtures.path("live-hall.realm")
        with subprocess.Popen(
            [str(binaries / "sensors"), file, "--sensors", "2", "--readings", "100000000",
             "--batch", "10", "--relaxed"], stdout=subprocess.DEVNULL) as sensors:
            try:
                until(lambda: "Reading" in self.fixtures.run("info", file, "--fast").stdout
                      if pathlib.Path(file).exists() else False, what="the first readings")
                self.follow(self.open(self.start(file), hash="#class=Reading"))
            finally:
                sensors.kill()
        self.fixtures.run("verify", file)

    def follow(self, page):
        def count(text):
            return int(re.match(r"[0-9,]+", text)[0].replace(",", ""))

        answer = page.locator("#answer")
        expect(self.cell(page, 0, 1)).not_to_be_empty()
        first = count(answer.text_content())
        until(lambda: count(answer.text_content()) > first + 100, what="more readings")
        # Sorted, searched and scrolled while there is more and more.
        page.locator("#table .header .cell").nth(1).click()
        page.locator("#predicate").fill("temperature >= 20")
        expect(answer).to_contain_text(" of ")
        expect(self.cell(page, 0, 1)).to_have_text(re.compile("^20"))
        page.locator("#table").focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Control+End")
        expect(page.locator("#table .cell.active")).to_have_text(re.compile("2[0-9]"))
        page.keyboard.press("Space")
        expect(page.locator("#detail h2")).to_contain_text("Reading #")
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Freeze here").click()
        expect(page.locator("#live")).to_contain_text(re.compile("frozen at version .* behind"))
        held = count(answer.text_content())
        self.picture(page, "sensors")
        page.locator("#classes .class[data-name='Sensor']").click()
        expect(answer).to_contain_text("2 objects")
        page.go_back()
        expect(answer).to_contain_text(f"{held:,} of")
        page.get_by_role("button", name="Follow again").click()
        expect(page.locator("#live")).not_to_contain_text("frozen")
        page.get_by_role("button", name="Inside").click()
        expect(page.locator("#inside .growth")).to_contain_text("commits/s")
        page.get_by_role("button", name="Check all pages").click()
        expect(page.locator("#inside .sound")).to_contain_text("is sound", timeout=60_000)
        expect(page.locator("#inside table").last).to_contain_text("free")
        page.locator("canvas.pages").scroll_into_view_if_needed()
        self.picture(page, "sensors-inside")


if __name__ == "__main__":
    unittest.main()
