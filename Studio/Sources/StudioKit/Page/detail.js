// One object: all its properties, with whole values and the elements of collections.

import { appendText, bytes, draw, grouped, make, pairs } from "./cells.js";

const pageOfElements = 100;
// While there are commits, the object is read again a part of the time only.
const shareOfReading = 3;
const leastPause = 200;
const pause = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

export class Detail {
  // `source` has ask(what, parameters, signal), classes(), follow(className, key), close(),
  // failed(error), and for changes mayEdit(), edit(object, property, element),
  // remove(object, seen), change(place, seen, change), insert(place, property, seen, at, element),
  // add(place, property, seen, element), replace(place, property, seen, at, name, element).
  constructor(source) {
    this.source = source;
    this.element = document.getElementById("detail");
    this.element.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.source.close();
    });
    // Nothing is drawn anew between the two halves of a click, which would be lost.
    this.element.addEventListener("pointerdown", () => { this.isPressed = true; });
    for (const name of ["pointerup", "pointercancel"]) {
      document.addEventListener(name, () => { this.isPressed = false; });
    }
  }

  // Shows the object as it is in the version that is shown now. A large one may take longer than
  // there is until the next commit.
  async refresh() {
    this.isOutOfDate = true;
    if (this.isRefreshing) return;
    this.isRefreshing = true;
    while (this.isOutOfDate && this.shown) {
      this.isOutOfDate = false;
      const start = performance.now();
      await this.show(this.shown.className, this.shown.key, false);
      await pause(Math.max(leastPause, shareOfReading * (performance.now() - start)));
    }
    this.isRefreshing = false;
  }

  hide() {
    this.request?.abort();
    this.shown = null;
    this.element.hidden = true;
  }

  async show(className, key, takesFocus) {
    const isSame = this.shown?.className === className && this.shown.key === key;
    this.shown = { className, key };
    const usedBefore = document.activeElement;
    // The lists that are open, with the number of their elements that are shown, and how far each
    // is scrolled.
    if (!isSame) {
      this.opened = new Map();
      this.scrolled = new Map();
    }
    const edit = this.source.mayEdit() ? 1 : null;
    this.request?.abort();
    this.request = new AbortController();
    const { signal } = this.request;
    let answer;
    try {
      answer = await this.source.ask("object", { class: className, key, edit }, signal);
    } catch (error) {
      if (error.name !== "AbortError") this.source.failed(error);
      return;
    }
    if (signal.aborted) return;
    const text = JSON.stringify([answer?.object, answer?.fingerprint]);
    // What the user has opened stays as it is while the object does.
    if (isSame && text === this.text && !this.element.hidden) return;
    const content = await this.draw(className, key, answer);
    while (this.isPressed) await pause(50);
    if (signal.aborted) return;
    const place = isSame ? this.element.scrollTop : 0;
    this.text = text;
    const buttons = () => [...this.element.querySelectorAll("button")];
    const focused = isSame ? buttons().indexOf(document.activeElement) : -1;
    this.element.replaceChildren(...content);
    buttons()[focused]?.focus({ preventScroll: true });
    for (const list of this.element.querySelectorAll("ol")) {
      list.scrollTop = this.scrolled.get(list.dataset.property) ?? 0;
      this.focusTool(list);
    }
    this.element.hidden = false;
    this.element.scrollTop = place;
    // Who has gone on to something else meanwhile stays there.
    if (takesFocus && document.activeElement === usedBefore) {
      this.element.querySelector("button").focus();
    }
  }

  // Returns the elements that show an object, with the lists that are open.
  async draw(className, key, answer) {
    this.loading = [];
    const head = make("div", "head");
    const back = make("button", "", "←");
    back.title = "Back";
    back.ariaLabel = "Back";
    back.addEventListener("click", () => history.back());
    const title = make("h2");
    appendText(title, `${className} #${key}`);
    const close = make("button", "plain", "✕");
    close.title = "Close";
    close.ariaLabel = "Close";
    close.addEventListener("click", () => this.source.close());
    head.append(back, title, close);
    const { properties, embedded } =
      this.source.classes().find((other) => other.name === className);
    if (answer && this.source.mayEdit() && !embedded) {
      const remove = make("button", "", "Delete");
      remove.title = "Delete the object. Undo brings it back.";
      remove.addEventListener("click", () => {
        this.source.remove({ className, key }, answer.fingerprint);
      });
      close.before(remove);
    }
    if (!answer) {
      return [head, make("p", "quiet", "The object has been deleted.")];
    }
    const facts = make("div", "quiet");
    facts.append(`position ${grouped(answer.position + 1)}, `
      + `${grouped(answer.linkedFrom)} ${answer.linkedFrom === 1 ? "link" : "links"} to it`);
    if (answer.owner) {
      facts.append(", owned by ");
      draw(facts, {
        link: answer.owner.key, class: answer.owner.class, label: `#${answer.owner.key}`,
      }, "object", this.source.follow);
    }
    const list = make("dl");
    properties.forEach((property, index) => {
      const term = make("dt");
      const name = make("b");
      appendText(name, property.name);
      const notes = [
        property.description, property.primaryKey ? "primary key" : "",
        property.indexed ? "indexed" : "",
      ];
      term.append(name, ` ${notes.filter(Boolean).join(", ")}`);
      if (this.source.mayEdit()) {
        const edit = make("button", "small", "Edit");
        edit.ariaLabel = `Edit ${property.name}`;
        edit.addEventListener("click", () => {
          this.source.edit({ className, key }, property, edit);
        });
        term.append(edit);
      }
      const value = make("dd");
      value.dir = "auto";
      this.drawValue(value, property, answer.object.cells[index], className, key);
      list.append(term, value);
    });
    await Promise.all(this.loading);
    for (const chip of list.querySelectorAll(".chip")) chip.tabIndex = 0;
    return [head, facts, list];
  }

  drawValue(element, property, cell, className, key) {
    draw(element, cell, property.type, this.source.follow);
    if (cell === null || typeof cell !== "object") return;
    const place = { class: className, key, property: property.name };
    const inner = "type" in cell ? cell.value : cell;
    if (property.collection) {
      if (cell.count > 0 || this.source.mayEdit()) {
        this.addElements(element, property, place, cell.count);
      }
    } else if (inner !== null && typeof inner === "object"
      && ("text" in inner || "hex" in inner && inner.bytes > 32 || "count" in inner)) {
      this.addWhole(element, property.type, place);
    }
  }

  // A button that shows the whole value, part by part.
  addWhole(element, type, place) {
    const button = make("button", "", "Show all");
    let from = 0;
    let text = null;
    button.addEventListener("click", async () => {
      button.disabled = true;
      try {
        const answer = await this.source.ask("value", { ...place, from });
        if (!text) {
          text = make("div", "text");
          if (type === "data") text.classList.add("code");
          text.tabIndex = 0;
          button.before(text);
        }
        text.append(type === "data" ? `${pairs(answer.text)} ` : answer.text);
        from = answer.next;
        button.disabled = false;
        button.textContent = `More, from ${bytes(from)} of ${bytes(answer.bytes)} on`;
        if (from >= answer.bytes) button.remove();
      } catch (error) {
        this.source.failed(error);
      }
    });
    element.append(make("br"), button);
  }

  addElements(element, property, place, count) {
    const mayEdit = this.source.mayEdit();
    const isList = property.collection === "list";
    const list = make("ol");
    list.dataset.property = property.name;
    list.addEventListener("scroll", () => this.scrolled.set(property.name, list.scrollTop));
    const more = make("button", "", "More");
    let from = 0;
    let seen;
    const load = async (wanted) => {
      more.disabled = true;
      try {
        const answer = await this.source.ask(
          "elements", { ...place, from, count: wanted, edit: mayEdit ? 1 : null });
        if (seen !== undefined && answer.fingerprint !== seen) {
          // Parts of two versions do not go together.
          list.replaceChildren();
          from = 0;
          seen = undefined;
          return await load(wanted);
        }
        seen = answer.fingerprint;
        answer.elements.forEach(({ key, value }, index) => {
          const item = make("li");
          const at = make("span", key === undefined ? "at" : "key");
          if (key === undefined) at.append(grouped(from + index));
          else appendText(at, key);
          const shown = make("span");
          shown.dir = "auto";
          draw(shown, value, property.type, this.source.follow);
          for (const chip of shown.querySelectorAll(".chip")) chip.tabIndex = 0;
          item.append(at, shown);
          if (mayEdit) {
            item.append(this.tools(place, property, seen, from + index, answer.count, key));
          }
          list.append(item);
        });
        from += answer.elements.length;
        this.opened.set(property.name, from);
        more.disabled = false;
        more.hidden = from >= answer.count || answer.elements.length === 0;
        // An element of a list is inserted behind those that are shown.
        insert.hidden = !mayEdit || isList && !more.hidden;
      } catch (error) {
        this.source.failed(error);
      }
    };
    more.addEventListener("click", () => load(pageOfElements));
    const insert = make("button", "", isList ? "Insert" : "Add");
    insert.ariaLabel = `${insert.textContent} an element of ${property.name}`;
    insert.hidden = true;
    insert.addEventListener("click", () => {
      if (isList) this.source.insert(place, property, seen, from, insert);
      else this.source.add(place, property, seen, insert);
    });
    const open = make("button", "", count === 0 ? insert.textContent
      : `Show ${count === 1 ? "the element" : "elements"}`);
    const show = (wanted) => {
      // Before they are loaded: the pane may be drawn anew meanwhile, and shows them then.
      if (!this.opened.has(property.name)) this.opened.set(property.name, 0);
      open.replaceWith(list, more, insert);
      return load(wanted);
    };
    open.addEventListener("click", async () => {
      await show(pageOfElements);
      if (count === 0) insert.click();
    });
    element.append(make("br"), open);
    const opened = this.opened.get(property.name);
    if (opened !== undefined) this.loading.push(show(Math.max(opened + 1, pageOfElements)));
  }

  // Buttons that move an element of a list, change it, and remove it. `key` is that of an element
  // of a map.
  tools(place, property, seen, position, count, key) {
    const tools = make("span", "tools");
    const name = key === undefined ? `element ${position}` : `the value of ${key}`;
    const add = (text, label) => {
      const button = make("button", "small", text);
      button.ariaLabel = `${label} ${name}`;
      button.title = label;
      tools.append(button);
      return button;
    };
    const addChange = (text, label, to, change) => {
      const button = add(text, label);
      button.disabled = to < 0 || to >= count;
      button.addEventListener("click", async () => {
        this.tool = { property: place.property, position: to, text };
        // They are about the list as it is shown, which this changes.
        const others = [...this.element.querySelectorAll(".tools button:enabled")];
        for (const other of others) other.disabled = true;
        if (await this.source.change(place, seen, change)) return;
        for (const other of others) other.disabled = false;
      });
    };
    if (property.collection === "list") {
      const move = (to) => ({ move: { from: position, to } });
      addChange("↑", "Move up", position - 1, move(position - 1));
      addChange("↓", "Move down", position + 1, move(position + 1));
    }
    if (property.collection !== "set") {
      const edit = add("✎", "Edit");
      edit.addEventListener("click", () => {
        this.source.replace(place, property, seen, position, name, edit);
      });
    }
    addChange("✕", "Remove", position, { remove: { at: position } });
    return tools;
  }

  // The button that was used last, where the element is now, is used again by the next key.
  focusTool(list) {
    if (this.tool?.property !== list.dataset.property) return;
    const { position, text } = this.tool;
    this.tool = null;
    const buttons = [...list.children[position]?.querySelectorAll(".tools button") ?? []];
    buttons.find((button) => button.textContent === text)?.focus();
  }
}
