"""Changing files with the Studio in a real browser. scripts/studio-test runs it."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import threading
import unittest

from browser import BrowserTest, binaries
from fixtures import HOSTILE, HOSTILE_NAME
from playwright.sync_api import expect
from studio import until

UUID = "ffffffff-1111-2222-3333-444444444444"


class EditingTests(BrowserTest):
    def setUp(self):
        super().setUp()
        self.file = self.fixtures.every_type(f"{self.id().split('.')[-1]}.realm", 8, False)
        self.studio = self.start(self.file, "--edit")

    def objects(self, class_name="Thing"):
        """The objects of a class by their ids, as another process reads them."""
        lines = self.fixtures.run("export", self.file, class_name, "--format", "jsonl").stdout
        objects = [json.loads(line) for line in lines.split("\n") if line]
        return {value["id"]: value for value in objects}

    def begin(self, page, row, name):
        """Opens the box for the value of a cell."""
        cell = self.cell(page, row, self.column(page, name))
        # At its edge, beside a chip. A cell that is just drawn anew has no width.
        expect(cell).to_be_visible()
        width = until(lambda: cell.evaluate("cell => cell.clientWidth"), what="the cell")
        cell.dblclick(position={"x": width - 3, "y": 10})
        expect(page.locator("#edit")).to_be_visible()
        return page.locator("#edit-field")

    def change(self, page, row, name, text):
        field = self.begin(page, row, name)
        if text is None:
            page.locator("#edit-null").check()
        else:
            page.locator("#edit-null").set_checked(False)
            field.fill(text)
        page.locator("#edit").get_by_role("button", name="Save").click()

    def post(self, what, body, studio=None, **options):
        studio = studio or self.studio
        headers = options.pop("headers", {"Origin": studio.base})
        return studio.request(
            f"/api/files/0/{what}", method="POST", headers=headers,
            body=json.dumps(body).encode(), **options)

    # MARK: Who may change what

    def test_changes_nothing_without_the_option(self):
        self.studio = self.start(self.file)
        page = self.open(self.studio, hash="#class=Person")
        expect(self.cell(page, 0, 1)).to_have_text("0")
        expect(page.locator("#add")).to_be_hidden()
        expect(page.locator("#undo")).to_be_hidden()
        self.cell(page, 0, 1).dblclick()
        expect(page.locator("#detail h2")).to_have_text("Person #0")
        expect(page.locator("#edit")).to_be_hidden()
        expect(page.locator("#detail").get_by_role("button", name="Edit")).to_have_count(0)
        expect(page.locator("#detail").get_by_role("button", name="Delete")).to_have_count(0)
        before = self.objects("Person")
        draft = json.loads(self.studio.request(
            "/api/files/0/draft?class=Person&key=0&property=age")[1])
        place = {"className": "Person", "key": "0"}
        for what, body in [
            ("edit", {"object": place, "property": "age", "seen": draft["fingerprint"],
                      "change": {"set": {"text": "5"}}}),
            ("add", {"className": "Person", "primaryKey": "99"}),
            ("delete", {"object": place, "seen": "0"}),
        ]:
            with self.subTest(what=what):
                status, answer = self.post(what, body)
                self.assertEqual(status, 400)
                self.assertIn("open for reading only", answer)
        self.assertEqual(self.objects("Person"), before)

    def test_lets_nobody_else_change_anything(self):
        before = self.objects("Person")
        body = {"className": "Person", "primaryKey": "99"}
        own = {"Origin": self.studio.base}
        for headers, with_cookie, expected in [
            (own, False, 403), ({}, True, 403), ({"Origin": "http://evil.example"}, True, 403),
            ({"Origin": "null"}, True, 403), ({**own, "Host": "evil.example"}, True, 421),
            ({**own, "Sec-Fetch-Site": "cross-site"}, True, 403),
        ]:
            for what in ["edit", "add", "delete", "undo"]:
                with self.subTest(headers=headers, what=what, with_cookie=with_cookie):
                    status, _ = self.post(
                        what, body, headers=headers, with_cookie=with_cookie)
                    self.assertEqual(status, expected)
        self.assertEqual(self.studio.request("/api/files/0/add")[0], 404)
        self.assertEqual(self.post("add", {"className": 5})[0], 400)
        self.assertEqual(self.objects("Person"), before)
        self.assertEqual(self.post("add", body)[0], 200)
        self.assertIn(99, self.objects("Person"))

    # MARK: Values

    def test_changes_values_of_every_type_and_takes_them_back(self):
        page = self.open(self.studio, hash="#class=Thing")
        before = self.objects()
        changes = [
            ("name", "new name", "new name"), ("flag", "true", True),
            ("number", "9007199254740995", 9007199254740995), ("number", None, None),
            ("small", "2.5", 2.5), ("ratio", "-inf", "-inf"), ("amount", "7.10", "7.10"),
            ("made", "2026-11-27T10:00:00Z", "2026-11-27T10:00:00Z"), ("blob", "00ff", "AP8="),
            ("uuid", UUID, UUID),
            ("oid", "f" * 24, "f" * 24), ("any", "[1, \"two\"]", [1, "two"]), ("owner", "9", 9),
            ("owner", None, None), ("home", '{"street": "Main", "zip": 5}',
                                    {"street": "Main", "zip": 5}),
            ("tags", '["x", "y"]', ["x", "y"]), ("scores", "[3, 1, 3]", [1, 3]),
            ("notes", '{"k": "v"}', {"k": "v"}), ("friends", "[3, 1]", [3, 1]),
            (HOSTILE_NAME, HOSTILE[3], HOSTILE[3]), ("id", "1000", 1000),
        ]
        for name, text, value in changes:
            with self.subTest(property=name, value=value):
                self.change(page, 1, name, text)
                expect(page.locator("#edited")).to_contain_text(f"Changed {name}")
                expect(page.locator("#edit")).to_be_hidden()
                key = 1000 if name == "id" else 1
                self.assertEqual(self.objects()[key][name], value)
        self.picture(page, "edited")
        for name, _, _ in reversed(changes):
            page.get_by_role("button", name="Undo").click()
            expect(page.locator("#edited")).to_contain_text(f"Taken back: Changed {name}")
        expect(page.get_by_role("button", name="Undo")).to_be_disabled()
        self.assertEqual(self.objects(), before)
        self.fixtures.run("verify", self.file)

    def test_shows_mistakes_at_the_cell(self):
        page = self.open(self.studio, hash="#class=Thing")
        before = self.objects()
        for name, text, message in [
            ("number", "many", "'many' is not an integer of 64 bits"),
            ("made", "yesterday", "is not a date"),
            ("owner", "77", "which is no object of 'Person'."),
            ("id", "2", "primary key"),
            ("any", "{\"$date\": 5", "is missing"),
            ("blob", "xyz", "hexadecimal digits"),
        ]:
            with self.subTest(property=name):
                self.change(page, 1, name, text)
                expect(page.locator("#edit-mistake")).to_contain_text(message)
                expect(page.locator("#edit-field")).to_be_focused()
                if name == "owner":
                    self.picture(page, "refused", 460)
                page.keyboard.press("Escape")
                expect(page.locator("#edit")).to_be_hidden()
        self.assertEqual(self.objects(), before)

    def test_keeps_hostile_values_that_are_typed(self):
        page = self.open(self.studio, hash="#class=Thing")
        for text in HOSTILE:
            with self.subTest(text=text):
                field = self.begin(page, 5, "name")
                if field.input_value().startswith('"'):
                    field.fill(json.dumps(text))
                else:
                    field.fill("plain")
                    page.keyboard.press("Enter")
                    expect(page.locator("#edit")).to_be_hidden()
                    expect(self.cell(page, 5, 2)).to_have_text("plain")
                    field = self.begin(page, 5, "name")
                    field.fill(text)
                page.keyboard.press("Enter")
                expect(page.locator("#edit")).to_be_hidden()
                # A text box has no carriage returns, and the texts have none.
                self.assertEqual(self.objects()[5]["name"], text)
                # What is only looked at stays as it is.
                self.begin(page, 5, "name")
                page.keyboard.press("Enter")
                expect(page.locator("#edit")).to_be_hidden()
                self.assertEqual(self.objects()[5]["name"], text)
        self.assertFalse(page.evaluate("'broken' in window"))
        self.assertEqual(page.locator("#body img, dialog img").count(), 0)

    def test_works_by_keyboard(self):
        page = self.open(self.studio, hash="#class=Person")
        self.cell(page, 2, self.column(page, "age")).click()
        page.keyboard.press("F2")
        expect(page.locator("#edit-field")).to_have_value("22")
        page.keyboard.type("50")
        page.keyboard.press("Enter")
        expect(self.cell(page, 2, self.column(page, "age"))).to_have_text("50")
        expect(page.locator("#table")).to_be_focused()
        page.keyboard.press("Control+z")
        expect(self.cell(page, 2, self.column(page, "age"))).to_have_text("22")

    def test_keys_that_are_typed_before_the_box_is_there_go_into_it(self):
        page = self.open(self.studio, hash="#class=Person")
        age = self.column(page, "age")
        held = []
        page.route("**/draft?*", lambda route: held.append(route))
        for keys, text in [("505\b\n", "50"), ("9", "50"), ("51\n", "51")]:
            with self.subTest(keys=keys):
                self.cell(page, 2, age).click()
                page.keyboard.press("F2")
                for key in keys:
                    page.keyboard.press({"\b": "Backspace", "\n": "Enter"}.get(key, key))
                if not keys.endswith("\n"):
                    page.keyboard.press("Escape")
                while not held:
                    page.wait_for_timeout(10)
                held.pop().continue_()
                expect(self.cell(page, 2, age)).to_have_text(text)
                expect(page.locator("#edit")).to_be_hidden()
                self.assertEqual(self.objects("Person")[2]["age"], int(text))
                expect(page.locator("#detail")).to_be_hidden()

    # MARK: Objects and lists

    def test_moves_inserts_and_removes_elements(self):
        page = self.open(self.studio, hash="#class=Thing&object=4")
        detail = page.locator("#detail")
        friends = detail.locator("dd").nth(17)
        friends.get_by_role("button", name="Show elements").click()
        expect(friends.locator("li")).to_have_count(4)
        friends.get_by_role("button", name="Move down element 0").click()
        # The button goes with the element, for the next key.
        expect(friends.get_by_role("button", name="Move down element 1")).to_be_focused()
        page.keyboard.press("Enter")
        expect(friends.get_by_role("button", name="Move down element 2")).to_be_focused()
        self.assertEqual(self.objects()[4]["friends"], [1, 2, 0, 3])
        friends.get_by_role("button", name="Remove element 1").click()
        expect(friends.locator("li")).to_have_count(3)
        friends.get_by_role("button", name="Insert").click()
        page.locator("#edit-field").fill("9")
        page.keyboard.press("Enter")
        expect(friends.locator("li")).to_have_count(4)
        self.assertEqual(self.objects()[4]["friends"], [1, 0, 3, 9])
        self.picture(page, "list")
        for _ in range(4):
            page.get_by_role("button", name="Undo").click()
            expect(page.locator("#edited")).to_contain_text("Taken back")
        until(lambda: self.objects()[4]["friends"] == [0, 1, 2, 3], what="the former list")

    def elements(self, page, name):
        """The value of a property in the detail pane, with its elements."""
        value = page.locator(
            "#detail dd", has=page.locator(f"ol[data-property='{name}']"))
        if value.count() == 0:
            term = page.locator("#detail dt", has=page.locator(f"b:text-is('{name}')"))
            term.locator("xpath=following-sibling::dd[1]").get_by_role(
                "button", name="Show").click()
        expect(value).to_have_count(1)
        return value

    def write(self, page, text, key=None):
        """Writes into the box, and saves it."""
        if key is not None:
            page.locator("#edit-key").fill(key)
        if text is None:
            page.locator("#edit-null").check()
        else:
            page.locator("#edit-field").fill(text)
        page.locator("#edit").get_by_role("button", name="Save").click()

    def test_replaces_an_element_of_a_list(self):
        page = self.open(self.studio, hash="#class=Thing&object=5")
        before = self.objects()
        for name, text, value in [
            ("friends", "9", 9), ("tags", "new\ntag", "new\ntag"),
            ("rooms", '{"street": "Main", "zip": 7}', None),
            ("anything", '{"a": [1, {"b": null}]}', None), ("anything", "5", None),
        ]:
            with self.subTest(property=name, text=text):
                list = self.elements(page, name)
                position = 0 if name == "tags" else 1
                shown = list.locator("li").nth(position)
                former = shown.inner_text()
                shown.get_by_role("button", name=f"Edit element {position}").click()
                expect(page.locator("#edit")).to_be_visible()
                self.write(page, text)
                expect(page.locator("#edit")).to_be_hidden()
                expect(shown).not_to_have_text(former, use_inner_text=True)
                expected = before[5][name][:]
                expected[position] = json.loads(text) if value is None else value
                self.assertEqual(self.objects()[5][name], expected)
                # One step brings it back.
                page.get_by_role("button", name="Undo").click()
                expect(page.locator("#edited")).to_contain_text(f"Taken back: Changed {name}")
                self.assertEqual(self.objects(), before)
                # Until then the pane shows the change, and what is based on it is refused.
                expect(shown).to_have_text(former, use_inner_text=True)
        friends = self.elements(page, "friends")
        friends.get_by_role("button", name="Edit element 1").click()
        expect(page.locator("#edit-field")).to_have_value("1")
        self.write(page, "77")
        expect(page.locator("#edit-mistake")).to_contain_text("which is no object of 'Person'.")
        page.keyboard.press("Escape")
        self.assertEqual(self.objects(), before)
        self.fixtures.run("verify", self.file)

    def test_changes_elements_of_sets_and_maps(self):
        page = self.open(self.studio, hash="#class=Thing&object=3")
        before = self.objects()
        self.assertEqual(before[3]["scores"], [0, 1, 2])
        scores = self.elements(page, "scores")
        scores.get_by_role("button", name="Remove element 1").click()
        expect(scores.locator("li")).to_have_count(2)
        self.assertEqual(self.objects()[3]["scores"], [0, 2])
        scores.get_by_role("button", name="Add").click()
        self.write(page, "-5")
        expect(scores.locator("li")).to_have_count(3)
        self.assertEqual(self.objects()[3]["scores"], [-5, 0, 2])
        for text, message in [
            ("2", "'scores' has this element already"), ("two", "is not an integer"),
        ]:
            scores.get_by_role("button", name="Add").click()
            self.write(page, text)
            expect(page.locator("#edit-mistake")).to_contain_text(message)
            page.keyboard.press("Escape")
        self.assertEqual(self.objects()[3]["scores"], [-5, 0, 2])

        notes = self.elements(page, "notes")
        expect(notes.locator("li")).to_have_count(2)
        notes.get_by_role("button", name="Edit the value of plain").click()
        expect(page.locator("#edit-null")).to_be_checked()
        page.locator("#edit-null").uncheck()
        self.write(page, HOSTILE[0])
        expect(notes.locator("li").last).to_contain_text(HOSTILE[0])
        notes.get_by_role("button", name="Add").click()
        expect(page.locator("#edit-key")).to_be_focused()
        self.write(page, "value", key=HOSTILE[1])
        expect(notes.locator("li")).to_have_count(3)
        notes.evaluate("value => value.previousElementSibling.scrollIntoView()")
        self.picture(page, "map", 460)
        notes.get_by_role("button", name="Add").click()
        self.write(page, "other", key="plain")
        expect(page.locator("#edit-mistake")).to_contain_text("'notes' has this key already")
        page.keyboard.press("Escape")
        notes.get_by_role("button", name="Remove the value of nul").click()
        expect(notes.locator("li")).to_have_count(2)
        self.assertEqual(
            self.objects()[3]["notes"], {"plain": HOSTILE[0], HOSTILE[1]: "value"})
        self.assertFalse(page.evaluate("'broken' in window"))
        after = self.objects()
        for _ in range(5):
            page.get_by_role("button", name="Undo").click()
            expect(page.locator("#edited")).to_contain_text("Taken back")
        until(lambda: self.objects() == before, what="what was there before")
        for _ in range(5):
            page.get_by_role("button", name="Redo").click()
            expect(page.locator("#edited")).to_contain_text("Done again")
        until(lambda: self.objects() == after, what="the changes again")
        self.fixtures.run("verify", self.file)

    def test_adds_the_first_element_of_an_empty_collection(self):
        page = self.open(self.studio, hash="#class=Thing&object=0")
        term = page.locator("#detail dt", has=page.locator("b:text-is('scores')"))
        value = term.locator("xpath=following-sibling::dd[1]")
        value.get_by_role("button", name="Add").click()
        self.write(page, "7")
        expect(value.locator("li")).to_have_count(1)
        self.assertEqual(self.objects()[0]["scores"], [7])

    def test_changes_no_elements_that_somebody_else_has_changed(self):
        page = self.open(self.studio, hash="#class=Thing&object=3")
        scores = self.elements(page, "scores")
        notes = self.elements(page, "notes")
        # In the box, while somebody else writes.
        scores.get_by_role("button", name="Add").click()
        self.fixtures.change(self.file, "Thing", [{"id": 3, "scores": [50]}])
        self.write(page, "7")
        expect(page.locator("#edit-mistake")).to_contain_text(
            "Somebody else has changed 'scores' meanwhile")
        self.assertEqual(self.objects()[3]["scores"], [50])
        page.keyboard.press("Escape")
        # The page has followed, and knows what is there now.
        expect(scores.locator("li")).to_have_count(1)
        # Between the click and the change.
        page.route("**/edit*", lambda route: (
            self.fixtures.change(self.file, "Thing", [{"id": 3, "scores": [51]}]),
            route.continue_()))
        scores.get_by_role("button", name="Remove element 0").click()
        expect(page.locator("#banner")).to_contain_text("Somebody else has changed 'scores'")
        page.unroute_all()
        self.assertEqual(self.objects()[3]["scores"], [51])
        notes.get_by_role("button", name="Edit the value of plain").click()
        expect(page.locator("#edit")).to_be_visible()
        self.fixtures.change(self.file, "Thing", [{"id": 3, "notes": {"plain": "theirs"}}])
        page.locator("#edit-null").uncheck()
        self.write(page, "mine")
        expect(page.locator("#edit-mistake")).to_contain_text("Somebody else has changed 'notes'")
        self.assertEqual(self.objects()[3]["notes"], {"plain": "theirs"})

    # MARK: Doing again

    def test_does_again_what_was_taken_back(self):
        page = self.open(self.studio, hash="#class=Person")
        before = self.objects("Person")
        age = self.column(page, "age")
        undo = page.get_by_role("button", name="Undo")
        redo = page.get_by_role("button", name="Redo")
        expect(redo).to_be_disabled()
        for text in ["40", "41"]:
            self.change(page, 1, "age", text)
            expect(self.cell(page, 1, age)).to_have_text(text)
        page.locator("#table").focus()
        for keys, text in [
            ("Control+z", "40"), ("Control+z", "21"), ("Control+Shift+Z", "40"),
            ("Control+y", "41"), ("Control+z", "40"),
        ]:
            page.keyboard.press(keys)
            expect(self.cell(page, 1, age)).to_have_text(text)
        expect(redo).to_have_attribute("title", "Do again: Changed age of Person #1")
        redo.click()
        expect(page.locator("#edited")).to_contain_text("Done again: Changed age of Person #1")
        expect(self.cell(page, 1, age)).to_have_text("41")
        expect(redo).to_be_disabled()
        # A new change takes the place of what was taken back.
        undo.click()
        expect(self.cell(page, 1, age)).to_have_text("40")
        self.change(page, 2, "age", "60")
        expect(self.cell(page, 2, age)).to_have_text("60")
        expect(redo).to_be_disabled()
        # Not over a change of somebody else.
        undo.click()
        expect(self.cell(page, 2, age)).to_have_text("22")
        self.fixtures.change(self.file, "Person", [{"id": 2, "age": 99}])
        expect(self.cell(page, 2, age)).to_have_text("99")
        redo.click()
        expect(page.locator("#banner")).to_contain_text("Somebody else has changed 'age'")
        self.assertEqual(self.objects("Person")[2]["age"], 99)
        expect(redo).to_be_disabled()
        self.assertEqual(self.objects("Person")[1]["age"], 40)
        self.assertEqual(set(self.objects("Person")), set(before))

    def test_adds_and_deletes_objects_again(self):
        page = self.open(self.studio, hash="#class=Person")
        before = (self.objects(), self.objects("Person"))
        page.get_by_role("button", name="Add", exact=True).click()
        page.locator("#edit-field").fill("100")
        page.keyboard.press("Enter")
        expect(page.locator("#detail h2")).to_have_text("Person #10")
        page.get_by_role("button", name="Edit name").click()
        self.write(page, "Somebody")
        expect(page.locator("#detail")).to_contain_text("Somebody")
        self.cell(page, 3, 0).click()
        expect(page.locator("#detail h2")).to_have_text("Person #3")
        page.get_by_role("button", name="Delete").click()
        expect(page.locator("#detail")).to_contain_text("The object has been deleted.")
        after = (self.objects(), self.objects("Person"))
        for _ in range(2):
            for _ in range(3):
                page.get_by_role("button", name="Undo").click()
                expect(page.locator("#edited")).to_contain_text("Taken back")
            until(lambda: (self.objects(), self.objects("Person")) == before,
                  what="what was there before")
            for _ in range(3):
                page.get_by_role("button", name="Redo").click()
                expect(page.locator("#edited")).to_contain_text("Done again")
            until(lambda: (self.objects(), self.objects("Person")) == after,
                  what="the changes again")
        self.fixtures.run("verify", self.file)

    def test_adds_and_deletes_objects(self):
        page = self.open(self.studio, hash="#class=Person")
        before = self.objects()
        page.get_by_role("button", name="Add", exact=True).click()
        page.locator("#edit-field").fill("3")
        page.keyboard.press("Enter")
        expect(page.locator("#edit-mistake")).to_contain_text("primary key")
        page.locator("#edit-field").fill("100")
        page.keyboard.press("Enter")
        expect(page.locator("#detail h2")).to_have_text("Person #10")
        page.get_by_role("button", name="Edit name").click()
        page.locator("#edit-field").fill("Somebody")
        page.keyboard.press("Enter")
        expect(page.locator("#detail")).to_contain_text("Somebody")
        self.assertEqual(self.objects("Person")[100]["name"], "Somebody")
        # Somebody to whom others link.
        self.cell(page, 3, 0).click()
        expect(page.locator("#detail h2")).to_have_text("Person #3")
        page.get_by_role("button", name="Delete").click()
        expect(page.locator("#detail")).to_contain_text("The object has been deleted.")
        self.assertNotIn(3, self.objects("Person"))
        self.assertEqual(self.objects()[3]["owner"], None)
        page.get_by_role("button", name="Undo").click()
        expect(page.locator("#detail h2")).to_have_text("Person #11")
        self.assertEqual(self.objects(), before)
        for _ in range(2):
            page.get_by_role("button", name="Undo").click()
        until(lambda: 100 not in self.objects("Person"), what="the end of the new object")

    # MARK: Others

    def test_two_browsers_change_one_object(self):
        first = self.open(self.studio, hash="#class=Person")
        second = self.open(self.studio, hash="#class=Person")
        age = self.column(first, "age")
        field = self.begin(first, 4, "age")
        self.change(second, 4, "age", "60")
        # The other page shows it, while the box has what is being written.
        expect(self.cell(first, 4, age)).to_have_text("60")
        field.fill("70")
        field.press("Enter")
        mistake = first.locator("#edit-mistake")
        expect(mistake).to_contain_text("Somebody else has changed 'age' meanwhile")
        expect(mistake).to_contain_text("It is now: 60")
        self.picture(first, "conflict", 500)
        self.assertEqual(self.objects("Person")[4]["age"], 60)
        mistake.get_by_role("button", name="Take it").click()
        expect(field).to_have_value("60")
        field.fill("80")
        field.press("Enter")
        expect(self.cell(second, 4, age)).to_have_text("80")
        # Its change is not what is there any more, so that it is not taken back.
        second.get_by_role("button", name="Undo").click()
        expect(second.locator("#banner")).to_contain_text("Somebody else has changed 'age'")
        self.assertEqual(self.objects("Person")[4]["age"], 80)
        # A change of another property is no conflict.
        self.change(first, 4, "boss", "0")
        self.change(second, 4, "age", "81")
        expect(self.cell(first, 4, age)).to_have_text("81")
        # An object that somebody has changed is not deleted.
        self.cell(first, 5, 0).click()
        expect(first.locator("#detail h2")).to_have_text("Person #5")
        first.route("**/delete?*", lambda route: (
            self.fixtures.change(self.file, "Person", [{"id": 5, "age": 1}]), route.continue_()))
        first.get_by_role("button", name="Delete").click()
        expect(first.locator("#banner")).to_contain_text("Somebody else has changed the object")
        self.assertIn(5, self.objects("Person"))

    def test_changes_a_file_while_another_process_writes(self):
        page = self.open(self.studio, hash="#class=Person")
        expect(self.cell(page, 0, 1)).to_have_text("0")
        stop = threading.Event()
        written = []

        def write():
            while not stop.is_set():
                self.fixtures.change(self.file, "Person", [{"id": 9, "age": len(written)}])
                written.append(1)

        writer = threading.Thread(target=write)
        writer.start()
        try:
            for age in range(30, 36):
                self.change(page, 1, "age", str(age))
                expect(self.cell(page, 1, self.column(page, "age"))).to_have_text(str(age))
        finally:
            stop.set()
            writer.join()
        self.assertGreater(len(written), 5)
        self.assertEqual(self.objects("Person")[1]["age"], 35)

    def test_waits_for_a_transaction_and_goes_on_after_the_writer_was_killed(self):
        page = self.open(self.studio, hash="#class=Person")
        expect(self.cell(page, 0, 1)).to_have_text("0")
        # It has begun its transaction, and waits for more input.
        writer = subprocess.Popen(
            [str(binaries / "realm"), "import", self.file, "Person", "-", "--format", "jsonl"],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        writer.stdin.write(b'{"id": 500, "name": "x"}\n')
        writer.stdin.flush()
        until(lambda: self.post("add", {"className": "Nothing"})[1].count("transaction"),
              what="the transaction of the writer")
        self.change(page, 1, "age", "40")
        expect(page.locator("#edit-mistake")).to_contain_text(
            "A transaction of another process has not ended")
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        writer.stdin.close()
        page.locator("#edit").get_by_role("button", name="Save").click()
        expect(page.locator("#edit")).to_be_hidden()
        self.assertEqual(self.objects("Person")[1]["age"], 40)
        self.assertNotIn(500, self.objects("Person"))

    def test_does_not_write_to_a_file_that_was_replaced(self):
        other = self.fixtures.every_type("replacement.realm", 2, False)
        page = self.open(self.studio, hash="#class=Person")
        expect(self.cell(page, 0, 1)).to_have_text("0")
        os.replace(other, self.file)
        self.change(page, 1, "age", "40")
        expect(page.locator("#edit-mistake")).to_contain_text("Another file is at")
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Open what is there").click()
        expect(page.locator("#banner")).to_be_hidden()
        page.goto(f"{self.studio.base}/#class=Person")
        self.change(page, 1, "age", "41")
        expect(self.cell(page, 1, self.column(page, "age"))).to_have_text("41")

    def test_changes_an_encrypted_file(self):
        file, _ = self.fixtures.encrypted("changed-secret.realm")
        studio = self.start(file, "--edit", "--key-file", self.fixtures.path("secret.key"))
        page = self.open(studio)
        self.change(page, 0, "text", "still hidden")
        expect(self.cell(page, 0, 2)).to_have_text("still hidden")
        with open(file, "rb") as stored:
            self.assertNotIn(b"hidden", stored.read())

    def test_opens_a_file_for_reading_that_it_must_not_write(self):
        # Root may write everything, so another user starts the Studio.
        folder = self.fixtures.folder / "of-root"
        folder.mkdir(exist_ok=True)
        for path in [self.fixtures.folder, folder]:
            path.chmod(0o755)
        file = folder / "people.realm"
        shutil.copy(self.file, file)
        file.chmod(0o444)
        nobody = {"user": 65534, "group": 65534, "extra_groups": []} if os.getuid() == 0 else {}
        studio = self.start(str(file), "--edit", **nobody)
        page = self.open(studio, hash="#class=Person")
        expect(self.cell(page, 0, 1)).to_have_text("0")
        expect(page.locator("#banner")).to_contain_text("Nothing can be changed:")
        expect(page.locator("#add")).to_be_hidden()
        self.cell(page, 0, 1).dblclick()
        expect(page.locator("#detail h2")).to_have_text("Person #0")
        expect(page.locator("#edit")).to_be_hidden()
        self.picture(page, "read-only", 300)
        status, answer = self.post("add", {"className": "Person", "primaryKey": "99"}, studio)
        self.assertEqual(status, 400)
        self.assertIn("open for reading only", answer)

    def test_shows_a_frozen_version_without_changing_it(self):
        page = self.open(self.studio, hash="#class=Person")
        expect(self.cell(page, 0, 1)).to_have_text("0")
        page.get_by_role("button", name="Freeze here").click()
        expect(page.locator("#live")).to_contain_text("frozen")
        expect(page.locator("#add")).to_be_disabled()
        self.cell(page, 0, 1).dblclick()
        expect(page.locator("#detail h2")).to_have_text("Person #0")
        expect(page.locator("#edit")).to_be_hidden()

    # MARK: Bringing in, and compacting

    def test_imports_a_file_after_it_has_shown_the_columns(self):
        page = self.open(self.studio, hash="#class=Person")
        expect(self.cell(page, 0, 1)).to_have_text("0")
        records = self.fixtures.folder / "people.csv"
        quoted = HOSTILE_NAME.replace('"', '""')
        records.write_text(
            f'Id;Full name;Years;junk\n100;"{quoted}";30;x\n101;Bob;31;y\n3;Three;99;z\n')
        page.get_by_role("button", name="Import").click()
        dialog = page.get_by_role("dialog")
        dialog.locator("#import-file").set_input_files(str(records))
        dialog.locator("#import-delimiter").select_option(";")
        expect(dialog.locator("#import-columns tr")).to_have_count(5)
        row = dialog.locator("#import-columns tr").nth(2)
        expect(row).to_contain_text(f"{HOSTILE_NAME}  ·  Bob")
        # A column is for the property of its name; the others are chosen.
        expect(dialog.get_by_label("Property for Id")).to_have_value("id")
        expect(dialog.get_by_label("Property for Full name")).to_have_value("")
        dialog.get_by_label("Property for Full name").select_option("name")
        dialog.get_by_label("Property for Years").select_option("age")
        expect(dialog.locator("#import-status")).to_contain_text("no value: boss")
        self.picture(page, "import", 640)
        before = self.objects("Person")
        start = dialog.get_by_role("button", name="Import", exact=True)
        start.click()
        expect(dialog.locator("#import-status")).to_contain_text("people.csv:4")
        expect(dialog.locator("#import-status")).to_contain_text("Nothing was imported.")
        self.assertEqual(self.objects("Person"), before)
        dialog.locator("#import-existing").select_option("update")
        start.click()
        expect(dialog).to_be_hidden()
        expect(page.locator("#edited")).to_have_text("people.csv: 2 imported, 1 updated")
        expect(page.locator("#answer")).to_contain_text("12 objects")
        after = self.objects("Person")
        self.assertEqual(after[100]["name"], HOSTILE_NAME)
        self.assertEqual([after[3]["name"], after[3]["age"], after[3]["boss"]], ["Three", 99, 2])
        self.assertEqual(
            [name for name in os.listdir(self.fixtures.folder) if "realm-studio" in name], [])

    def test_stops_an_import(self):
        before = self.objects("Person")
        records = self.fixtures.folder / "many-people.csv"
        with records.open("w") as output:
            output.write("id,name,age\n")
            output.writelines(f"{id},person {id},1\n" for id in range(1000, 300_000))
        page = self.open(self.studio, hash="#class=Person")
        page.get_by_role("button", name="Import").click()
        dialog = page.get_by_role("dialog")
        dialog.locator("#import-file").set_input_files(str(records))
        dialog.get_by_role("button", name="Import", exact=True).click()
        dialog.get_by_role("button", name="Stop").click()
        expect(dialog.locator("#import-status")).to_contain_text("Nothing was imported.")
        self.assertEqual(self.objects("Person"), before)
        # The page may go instead.
        dialog.get_by_role("button", name="Import", exact=True).click()
        until(lambda: not self.studio.is_idle(), what="the import")
        page.close()
        until(self.studio.is_idle, what="the end of the import")
        self.assertEqual(self.objects("Person"), before)

    def test_imports_what_it_has_exported(self):
        lines = self.fixtures.run("export", self.file, "Thing", "--format", "jsonl").stdout
        (self.fixtures.folder / "things.jsonl").write_text(lines)
        before = self.objects()
        self.fixtures.change(self.file, "Thing", [{"id": 2, "name": "changed", "tags": []}])
        page = self.open(self.studio, hash="#class=Thing")
        page.get_by_role("button", name="Import").click()
        page.locator("#import-file").set_input_files(str(self.fixtures.folder / "things.jsonl"))
        page.locator("#import-existing").select_option("update")
        expect(page.locator("#import-columns tr")).to_have_count(22)
        page.get_by_role("dialog").get_by_role("button", name="Import", exact=True).click()
        expect(page.locator("#edited")).to_contain_text("8 updated", timeout=60_000)
        self.assertEqual(self.objects(), before)

    def test_compacts_a_file(self):
        file = self.fixtures.many(20_000, "compacted.realm")
        studio = self.start(file, "--edit")
        page = self.open(studio, hash="#class=Row&view=inside")
        expect(page.locator("#inside .facts")).to_contain_text("pages of 4,096 bytes")
        page.locator("#classes .class").filter(has_text="Row").click()
        self.change(page, 1, "name", "other name")
        expect(self.cell(page, 1, 2)).to_have_text("other name")
        page.get_by_role("button", name="Inside").click()
        before = os.path.getsize(file)
        page.get_by_role("button", name="Compact").click()
        expect(page.locator("#edited")).to_contain_text("Compacted:", timeout=60_000)
        self.assertLess(os.path.getsize(file), before)
        page.locator("#classes .class").filter(has_text="Row").click()
        expect(self.cell(page, 0, 2)).to_have_text("row 0")
        # What was changed before can be taken back after.
        page.get_by_role("button", name="Undo").click()
        expect(self.cell(page, 1, 2)).to_have_text("row 1")
        self.change(page, 0, "name", "new name")
        expect(self.cell(page, 0, 2)).to_have_text("new name")
        # Somebody else has it open.
        with subprocess.Popen(
            [str(binaries / "realm"), "watch", file], stdout=subprocess.PIPE) as watcher:
            until(lambda: str(watcher.pid) in self.fixtures.run("pins", file).stdout,
                  what="the other process")
            page.get_by_role("button", name="Inside").click()
            page.get_by_role("button", name="Compact").click()
            expect(page.locator("#banner")).to_contain_text("another process has it open")
            watcher.send_signal(signal.SIGKILL)
        page.locator("#classes .class").filter(has_text="Row").click()
        expect(page.locator("#banner")).to_be_hidden()
        expect(self.cell(page, 0, 2)).to_have_text("new name")

    def test_stops_a_compaction_and_shows_how_far_it_is(self):
        file = self.fixtures.long_texts(60_000, "stopped.realm")
        studio = self.start(file, "--edit")
        page = self.open(studio, hash="#class=Text&view=inside")
        other = self.open(studio, hash="#class=Text")
        expect(self.cell(other, 0, 1)).to_have_text("0")
        before = pathlib.Path(file).read_bytes()
        expect(page.get_by_role("button", name="Compact")).to_be_visible()
        # As soon as there is progress, because it does not take long.
        position, text = page.evaluate("""() => new Promise((resolve) => {
            const actions = document.querySelector("#inside .actions");
            actions.querySelector("button").click();
            const observer = new MutationObserver(() => {
                const bar = actions.querySelector("progress");
                if (!(bar?.position > 0)) return;
                observer.disconnect();
                resolve([bar.position, actions.textContent]);
                actions.querySelector("button").click();
            });
            observer.observe(actions, { childList: true, subtree: true, attributes: true });
        })""")
        self.assertLess(position, 1)
        self.assertRegex(text, "Stop compacting.* MB of about .* MB written")
        expect(page.locator("#edited")).to_have_text("Stopped: the file is as it was")
        self.assertEqual(pathlib.Path(file).read_bytes(), before)
        left = pathlib.Path(f"{file}.management").rglob("*")
        self.assertEqual([path for path in left if path.stat().st_size > 1e6], [])
        expect(page.get_by_role("button", name="Compact")).to_be_enabled()
        # Another page that shows the file goes on, and follows again.
        self.fixtures.change(file, "Text", [{"id": 0, "text": "changed"}])
        expect(self.cell(other, 0, 2)).to_have_text("changed")
        expect(other.locator("#banner")).to_be_hidden()

    def test_tells_that_the_disk_is_full(self):
        folder = self.fixtures.folder / "full"
        folder.mkdir(exist_ok=True)
        mount = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)], capture_output=True)
        if mount.returncode != 0:
            self.skipTest("Only root may mount a small disk.")
        self.addCleanup(lambda: subprocess.run(["umount", str(folder)], check=True))
        file = str(folder / "people.realm")
        shutil.copy(self.file, file)
        studio = self.start(file, "--edit")
        page = self.open(studio, hash="#class=Person")
        expect(self.cell(page, 0, 1)).to_have_text("0")
        with self.assertRaises(OSError), (folder / "rest").open("wb", buffering=0) as rest:
            while True:
                rest.write(bytes(4096))
        self.change(page, 1, "name", "long " * 40_000)
        expect(page.locator("#edit-mistake")).to_contain_text("No space left on device")
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Inside").click()
        page.get_by_role("button", name="Compact").click()
        expect(page.locator("#banner")).to_contain_text("is unchanged")
        (folder / "rest").unlink()
        page.locator("#classes .class").filter(has_text="Person").click()
        self.change(page, 1, "name", "short")
        expect(self.cell(page, 1, self.column(page, "name"))).to_have_text("short")
        self.fixtures.run("verify", file)


if __name__ == "__main__":
    unittest.main()
