// The box for predicates: completion of names and operators, and mistakes at their places.

import { make } from "./cells.js";

const ordered = ["==", "!=", "<", "<=", ">", ">=", "BETWEEN", "IN"];
const texts = ["==", "!=", "BEGINSWITH", "CONTAINS", "ENDSWITH", "LIKE", "BEGINSWITH[c]",
  "CONTAINS[c]", "ENDSWITH[c]", "LIKE[c]", "<", "<=", ">", ">=", "IN"];
const operators = {
  string: texts, data: ["==", "!=", "BEGINSWITH", "CONTAINS", "ENDSWITH"], bool: ["==", "!="],
  object: ["==", "!="], embedded: ["==", "!="], uuid: ["==", "!=", "IN"],
  objectId: ["==", "!=", "IN"], mixed: [...texts, "BETWEEN"],
};
const allOperators = new Set([...ordered, ...texts, "BETWEEN", "IN"]);
const beginnings = ["NOT", "ANY", "ALL", "NONE", "TRUEPREDICATE"];
const words = /"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|[\w.@$]+(?:\[[a-z]*\])?|[=<>!]+|\S/gu;

// What may stand at a place of a predicate: { from, candidates: [{ text, what }] }.
export function complete(text, place, className, classes) {
  const before = text.slice(0, place);
  const typed = /[\w.@]*$/u.exec(before)[0];
  const tokens = before.slice(0, before.length - typed.length).match(words) ?? [];
  if (/^["']/.test(tokens.at(-1) ?? "") && !isClosed(tokens.at(-1))) {
    return { from: place, candidates: [] };
  }
  // Behind a whole word, a space or an operator comes first.
  if (!typed && /[^\s(,]$/u.test(before)) return { from: place, candidates: [] };
  const last = tokens.at(-1);
  const path = last && resolve(last, className, classes);
  let found;
  if (path) {
    found = (path.collection ? ["==", "!=", "IN"] : operators[path.type] ?? ordered)
      .map((name) => ({ text: name, what: "" }));
  } else if (last && allOperators.has(last)) {
    const former = resolve(tokens.at(-2) ?? "", className, classes);
    found = former?.type === "bool" ? ["true", "false"] : ["nil"];
    found = found.map((name) => ({ text: name, what: "value" }));
  } else if (last && !["(", ",", "!", "AND", "OR", "NOT", "&&", "||", "ANY", "ALL", "NONE", "SOME"]
    .includes(last.toUpperCase()) && !typed) {
    found = ["AND", "OR"].map((name) => ({ text: name, what: "" }));
  } else {
    found = names(typed, className, classes);
    if (!typed.includes(".")) found.push(...beginnings.map((name) => ({ text: name, what: "" })));
    if (last && !typed.includes(".")) {
      found.push(...["AND", "OR"].map((name) => ({ text: name, what: "" })));
    }
  }
  const lower = typed.toLowerCase();
  const candidates = found.filter(
    ({ text: name }) => name.toLowerCase().startsWith(lower) && name !== typed);
  return { from: place - typed.length, candidates: candidates.slice(0, 30) };
}

function isClosed(token) {
  return token.length > 1 && token.at(-1) === token[0] && token.at(-2) !== "\\";
}

function propertiesOf(className, classes) {
  return classes.find((other) => other.name === className)?.properties ?? [];
}

// The property at the end of a path; undefined if there is none.
function resolve(path, className, classes) {
  let current = className;
  let property;
  for (const name of path.split(".")) {
    if (name.startsWith("@") && property) return { type: "int" };
    property = propertiesOf(current, classes).find((other) => other.name === name);
    if (!property) return undefined;
    current = property.target;
  }
  return property;
}

function names(typed, className, classes) {
  const end = typed.lastIndexOf(".");
  const prefix = typed.slice(0, end + 1);
  let current = className;
  const found = [];
  if (prefix) {
    const property = resolve(prefix.slice(0, -1), className, classes);
    if (!property) return [];
    current = property.target;
    if (property.collection) {
      const isNumber = ["int", "float", "double", "decimal128"].includes(property.type);
      for (const name of isNumber ? ["count", "sum", "min", "max", "avg"] : ["count"]) {
        found.push({ text: `${prefix}@${name}`, what: "of the collection" });
      }
    }
  }
  for (const property of propertiesOf(current, classes)) {
    found.push({ text: prefix + property.name, what: property.description });
  }
  return found;
}

export class QueryBox {
  // `listener` has run(predicate), context() with { className, classes }.
  constructor(listener) {
    this.listener = listener;
    this.input = document.getElementById("predicate");
    this.list = document.getElementById("completions");
    this.mistake = document.getElementById("mistake");
    this.candidates = [];
    this.timer = null;
    this.input.addEventListener("input", () => {
      this.suggest();
      this.runSoon();
    });
    this.input.addEventListener("keydown", (event) => this.keyDown(event));
    this.input.addEventListener("blur", () => this.close());
    document.getElementById("query").addEventListener("submit", (event) => {
      event.preventDefault();
      this.run();
    });
  }

  get text() { return this.input.value; }
  set text(text) {
    this.forget();
    this.input.value = text;
    this.showMistake(null);
    this.close();
  }

  // Whether there is a text that was typed a moment ago, and is not asked for yet.
  get isPending() { return this.timer !== null; }

  forget() {
    clearTimeout(this.timer);
    this.timer = null;
  }

  runSoon() {
    this.forget();
    this.timer = setTimeout(() => this.run(), 150);
  }

  // Asks at once for what was typed a moment ago.
  flush() { if (this.isPending) this.run(); }

  run() {
    this.forget();
    this.listener.run(this.text.trim());
  }

  // MARK: Completion

  suggest() {
    const place = this.input.selectionStart;
    const { className, classes } = this.listener.context();
    this.lacksClasses = classes.length === 0;
    const { from, candidates } = complete(this.text, place, className, classes);
    this.from = from;
    this.candidates = candidates;
    this.chosen = -1;
    this.list.replaceChildren(...candidates.map((candidate, index) => {
      const item = make("li");
      item.role = "option";
      item.id = `completion-${index}`;
      item.append(make("span", "", candidate.text), make("span", "what", candidate.what));
      item.addEventListener("mousedown", (event) => {
        event.preventDefault();
        this.accept(index);
      });
      return item;
    }));
    this.list.hidden = candidates.length === 0;
    this.input.setAttribute("aria-expanded", candidates.length > 0);
    this.input.removeAttribute("aria-activedescendant");
  }

  // Completes what was typed before the classes were known.
  classesAreKnown() {
    if (this.lacksClasses && document.activeElement === this.input) this.suggest();
  }

  choose(index) {
    this.chosen = (index + this.candidates.length) % this.candidates.length;
    [...this.list.children].forEach((item, position) => {
      item.setAttribute("aria-selected", position === this.chosen);
    });
    this.list.children[this.chosen].scrollIntoView({ block: "nearest" });
    this.input.setAttribute("aria-activedescendant", `completion-${this.chosen}`);
  }

  accept(index) {
    const { text } = this.candidates[index];
    const place = this.input.selectionStart;
    const rest = this.text.slice(place);
    const space = rest.startsWith(" ") ? "" : " ";
    this.input.setRangeText(text + space, this.from, place, "end");
    this.suggest();
    this.runSoon();
  }

  close() {
    this.list.hidden = true;
    this.candidates = [];
    this.input.setAttribute("aria-expanded", false);
    this.input.removeAttribute("aria-activedescendant");
  }

  keyDown(event) {
    const isOpen = !this.list.hidden;
    if (event.key === "Escape" && isOpen) {
      this.close();
    } else if (event.key === " " && event.ctrlKey) {
      this.suggest();
    } else if (isOpen && event.key === "ArrowDown") {
      this.choose(this.chosen + 1);
    } else if (isOpen && event.key === "ArrowUp") {
      this.choose(this.chosen < 0 ? -1 : this.chosen - 1);
    } else if (isOpen && (event.key === "Tab" && !event.shiftKey
      || event.key === "Enter" && this.chosen >= 0)) {
      this.accept(Math.max(0, this.chosen));
    } else {
      if (event.key === "Enter") this.close();
      return;
    }
    event.preventDefault();
  }

  // MARK: Mistakes

  showMistake(failure) {
    this.input.setAttribute("aria-invalid", Boolean(failure));
    this.mistake.hidden = !failure;
    this.mistake.replaceChildren();
    if (!failure) return;
    this.mistake.append(failure.message);
    if (failure.position === undefined) return;
    const scalars = [...this.text.trim()];
    const word = scalars.slice(failure.position);
    let length = word.findIndex((scalar) => !/[\p{L}\p{N}_]/u.test(scalar));
    if (length < 0) length = word.length;
    length = Math.max(1, length);
    for (const name of failure.suggestions) {
      const button = make("button", "", name);
      button.type = "button";
      button.addEventListener("click", () => {
        const start = scalars.slice(0, failure.position).join("");
        this.text = start + name + scalars.slice(failure.position + length).join("");
        this.run();
      });
      this.mistake.append(button);
    }
    const line = make("pre");
    const wrong = word.slice(0, length).join("");
    line.append(
      scalars.slice(0, failure.position).join(""), make("mark", "", wrong || "⟨end⟩"),
      word.slice(length).join(""));
    this.mistake.append(line);
  }
}
