// Changes of objects: the box in which a value is written, and what takes changes back.
//
// A change names the value that was seen, by its fingerprint. The server refuses it if the value
// has become another one since; the box shows that one then, and keeps what was written.

import { appendText, bytes, hidden, make } from "./cells.js";

// What takes more than a line is written in a larger box.
const isLarge = (property, isElement) => property.type === "string"
  || Boolean(property.collection) && !isElement || ["mixed", "embedded"].includes(property.type);

const hints = {
  int: "an integer", float: "a number", double: "a number", decimal128: "a decimal number",
  date: "2026-11-26T20:15:00Z", uuid: "00000000-0000-0000-0000-000000000000",
  objectId: "24 hexadecimal digits", data: "hexadecimal digits", object: "the primary key, or #5",
  mixed: "JSON: 5, \"text\", [1, 2], {\"$date\": …}", embedded: "JSON: {\"name\": \"value\"}",
};

// A text box would change or hide some characters, so texts with them are written as in JSON.
const isWrittenAsJSON = (text) => hidden.test(text.replace(/[\n\t]/g, ""));

function quoted(text) {
  return JSON.stringify(text).replace(new RegExp(hidden.source, "g"), (character) => (
    `\\u${character.codePointAt(0).toString(16).padStart(4, "0")}`));
}

export class Editor {
  // `source` has path(), post(path, body), changed(outcome, text), show(object), failed(error).
  constructor(source) {
    this.source = source;
    // What takes changes back, and what makes those again that were taken back.
    this.undos = [];
    this.redos = [];
    this.last = Promise.resolve();
    const element = (name) => document.getElementById(`edit-${name}`);
    this.dialog = document.getElementById("edit");
    this.title = element("title");
    this.field = element("field");
    this.hint = element("hint");
    this.key = element("key");
    this.keyLabel = element("key-label");
    this.nothing = element("null");
    this.nothingLabel = element("null-label");
    this.mistake = element("mistake");
    this.form = element("form");
    this.undoButton = document.getElementById("undo");
    this.redoButton = document.getElementById("redo");
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.save();
    });
    element("cancel").addEventListener("click", () => this.dialog.close());
    this.field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.save();
    });
    this.nothing.addEventListener("change", () => this.enable());
    this.undoButton.addEventListener("click", () => this.undo());
    this.redoButton.addEventListener("click", () => this.redo());
  }

  // Forgets the changes of another file.
  forget(isEditable) {
    this.isEditable = isEditable;
    this.undos = [];
    this.redos = [];
    this.drawUndo();
  }

  // MARK: The box

  // Lets the user write a value, and with `hasKey` the key of a map for it. `place` is the
  // rectangle beside which that happens; `send` is called with the text (null for null), the draft
  // that it is based on, and the key. `early` is what ``keepKeys`` has kept.
  open({ place, title, property, isElement = false, hasKey = false, draft = {}, early, send }) {
    if (draft.tooLong) {
      return this.source.failed(
        new Error(`'${property.name}' has ${bytes(draft.tooLong)}: too long to be edited here.`));
    }
    this.property = property;
    this.isElement = isElement;
    this.send = send;
    this.title.replaceChildren();
    appendText(this.title, title);
    this.keyLabel.hidden = !hasKey;
    this.key.value = "";
    this.take(draft);
    this.field.rows = isLarge(property, isElement)
      ? Math.min(12, Math.max(2, this.field.value.split("\n").length)) : 1;
    this.field.classList.toggle("code", property.type !== "string");
    this.showMistake(null);
    this.dialog.showModal();
    this.place(place);
    (hasKey ? this.key : this.nothing.checked ? this.nothing : this.field).focus();
    if (!hasKey) this.field.select();
    if (early?.text) {
      this.nothing.checked = false;
      this.enable();
      this.field.value = early.text;
      this.field.focus();
    }
    if (early?.saves) this.save();
  }

  // Keeps what is typed before the box is there, where it would go to the table. Call `end` of the
  // result; Escape calls `cancel`.
  keepKeys(cancel) {
    const early = { text: "", saves: false };
    const keep = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      if (event.key === "Escape") cancel();
      else if (event.key === "Enter") early.saves ||= !event.repeat;
      else if (event.key === "Backspace") early.text = early.text.slice(0, -1);
      else if (event.key.length === 1 && !early.saves) early.text += event.key;
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    document.addEventListener("keydown", keep, true);
    early.end = () => document.removeEventListener("keydown", keep, true);
    return early;
  }

  // Shows a value, and bases on it what is saved.
  take(draft) {
    this.draft = draft;
    const { property, isElement } = this;
    const text = draft.text ?? "";
    const isWhole = Boolean(property.collection) && !isElement;
    this.isJSON = property.type === "string" && !isWhole && isWrittenAsJSON(text);
    this.field.value = this.isJSON ? quoted(text) : text;
    this.written = this.field.value;
    const mayBeNull = !isWhole && (property.optional || property.type === "mixed"
      || (!isElement || property.collection === "map")
        && ["object", "embedded"].includes(property.type));
    this.nothingLabel.hidden = !mayBeNull;
    this.nothing.checked = mayBeNull && draft.fingerprint !== undefined && draft.text === undefined;
    this.hint.textContent = [
      property.description,
      isWhole ? "JSON" : this.isJSON ? "characters that cannot be seen are written as in JSON"
        : hints[property.type] ?? "",
    ].filter(Boolean).join(": ");
    this.enable();
  }

  enable() { this.field.disabled = this.nothing.checked; }

  place(anchor) {
    const { width, height } = this.dialog.getBoundingClientRect();
    const left = Math.max(4, Math.min(anchor.left, innerWidth - width - 4));
    const top = Math.max(4, Math.min(anchor.top, innerHeight - height - 4));
    Object.assign(this.dialog.style, { left: `${left}px`, top: `${top}px` });
  }

  get text() {
    if (this.nothing.checked) return null;
    if (!this.isJSON) return this.field.value;
    // What is not changed is not read again.
    if (this.field.value === this.written) return this.draft.text;
    const value = JSON.parse(this.field.value);
    if (typeof value !== "string") throw new SyntaxError("A text stands between quotes.");
    return value;
  }

  async save() {
    if (this.isSaving) return;
    this.isSaving = true;
    try {
      const { text, draft } = this;
      const isSame = draft.fingerprint !== undefined && text === (draft.text ?? null);
      if (!isSame) {
        await this.send(text, draft, this.keyLabel.hidden ? undefined : this.key.value);
      }
      this.dialog.close();
    } catch (error) {
      this.showMistake(error);
    } finally {
      this.isSaving = false;
    }
  }

  showMistake(error) {
    this.mistake.hidden = !error;
    this.mistake.replaceChildren();
    if (!error) return;
    appendText(this.mistake, error.message);
    this.field.focus();
    if (!error.now || this.isElement) return;
    const { now } = error;
    const value = make("p");
    value.append("It is now: ");
    if (now.text === undefined) value.append(now.tooLong ? bytes(now.tooLong) : "null");
    else appendText(value, now.text.length > 200 ? `${now.text.slice(0, 200)}…` : now.text);
    const use = make("button", "", "Take it");
    use.type = "button";
    use.addEventListener("click", () => {
      this.take(now);
      this.showMistake(null);
    });
    const keep = make("button", "", "Replace it");
    keep.type = "button";
    keep.addEventListener("click", () => {
      this.draft = { ...this.draft, fingerprint: now.fingerprint };
      this.save();
    });
    this.mistake.append(value, use, " ", keep);
    this.place(this.dialog.getBoundingClientRect());
  }

  // MARK: Changes

  // Sends a change once those before it are answered, so that they are made in the order in which
  // they were asked for. `body` is called with the path of the file. Returns null if another file
  // was chosen meanwhile.
  inTurn(body) {
    const path = this.source.path();
    const done = this.last.then(async () => {
      if (path !== this.source.path()) return null;
      const outcome = await body(path);
      return path === this.source.path() ? outcome : null;
    });
    this.last = done.catch(() => {});
    return done;
  }

  // Asks for a change, and keeps what takes it back. `text` says what it was.
  async change(what, body, text) {
    const outcome = await this.inTurn((path) => this.source.post(`${path}/${what}`, body));
    if (!outcome) return null;
    this.undos.push({ number: outcome.undo, text, what });
    this.redos = [];
    this.drawUndo();
    this.source.changed(outcome, text);
    return outcome;
  }

  edit(object, property, seen, change, text) {
    return this.change("edit", { object, property, seen, change }, text);
  }

  // What has made an object that was not there shows it.
  undo() { return this.turn("undos", "redos", "Taken back", "delete"); }
  redo() { return this.turn("redos", "undos", "Done again", "add"); }

  // Takes the last change of a list back. What takes that back goes to the other list.
  async turn(from, to, title, whatMakesObjects) {
    let last;
    try {
      const outcome = await this.inTurn((path) => {
        last = this[from].pop();
        return last ? this.source.post(`${path}/undo`, { number: last.number }) : null;
      });
      if (!outcome) return;
      if (outcome.undo !== undefined) this[to].push({ ...last, number: outcome.undo });
      const lost = outcome.lostLinks
        ? ` ${outcome.lostLinks} links to it were changed since, and stay as they are.` : "";
      this.source.changed(outcome, `${title}: ${last.text}${lost}`);
      if (last.what === whatMakesObjects) this.source.show(outcome.object);
    } catch (error) {
      // Later, it may go well.
      if (error.code === "busy" || error.code === "offline") this[from].push(last);
      this.source.failed(error);
    }
    this.drawUndo();
  }

  drawUndo() {
    const draw = (button, changes, title, nothing) => {
      button.hidden = !this.isEditable;
      button.disabled = changes.length === 0;
      button.title = changes.length ? `${title}: ${changes.at(-1).text}` : nothing;
    };
    draw(this.undoButton, this.undos, "Take back", "Nothing to take back");
    draw(this.redoButton, this.redos, "Do again", "Nothing was taken back");
  }
}
