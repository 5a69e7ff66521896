// Values as people read them. Text of a file only ever becomes text nodes.

// Characters that would be invisible, or change the order of what stands beside them.
export const hidden = new RegExp("[\\u0000-\\u001f\\u007f-\\u009f\\u200b\\u200c\\u200e\\u200f"
  + "\\u202a-\\u202e\\u2060-\\u2069\\ufeff]");
const hiddenParts = new RegExp(`(${hidden.source})`);

function nameOf(character) {
  const code = character.codePointAt(0);
  if (code === 10) return "⏎";
  if (code === 9) return "⇥";
  return `⟨${code.toString(16).padStart(code < 256 ? 2 : 4, "0")}⟩`;
}

// Appends text with hidden characters shown by their names.
export function appendText(element, text) {
  if (!hidden.test(text)) return element.append(text);
  for (const part of text.split(hiddenParts)) {
    if (part.length === 1 && hidden.test(part)) {
      element.append(make("span", "control", nameOf(part)));
    } else if (part) {
      element.append(part);
    }
  }
}

export function make(name, className = "", text = null) {
  const element = document.createElement(name);
  if (className) element.className = className;
  if (text !== null) element.textContent = text;
  return element;
}

export function grouped(number) {
  return Number(number).toLocaleString("en-US");
}

export function bytes(count) {
  if (count >= 1e9) return `${(count / 1e9).toFixed(2)} GB`;
  if (count >= 1e6) return `${(count / 1e6).toFixed(1)} MB`;
  if (count >= 1e3) return `${(count / 1e3).toFixed(1)} kB`;
  return `${count} B`;
}

export function isNumber(property) {
  return !property.collection && ["int", "float", "double", "decimal128"].includes(property.type);
}

const codeTypes = ["uuid", "objectId", "data"];

function date(text) {
  const match = /^(.*)T(.*)Z$/.exec(text);
  return match ? `${match[1]} ${match[2]}` : text;
}

// Draws a value into an element that is empty. `follow` is called with the class and key of an
// object that a link leads to.
export function draw(element, cell, type, follow) {
  if (cell === null) {
    element.append(make("span", "null", "null"));
  } else if (typeof cell === "boolean") {
    element.append(cell ? "true" : "false");
  } else if (typeof cell === "string") {
    appendText(element, type === "date" ? date(cell) : cell);
    if (codeTypes.includes(type)) element.classList.add("code");
  } else if ("text" in cell) {
    appendText(element, cell.text);
    element.append(make("span", "note", `… ${bytes(cell.bytes)}`));
  } else if ("hex" in cell) {
    element.append(make("span", "note", `${bytes(cell.bytes)}  `));
    element.append(make("span", "code", pairs(cell.hex) + (cell.bytes > 32 ? " …" : "")));
  } else if ("link" in cell || "embedded" in cell) {
    element.append(chip(cell, follow));
  } else if ("count" in cell) {
    element.append(make("span", "note", `${grouped(cell.count)}  `));
    appendText(element, cell.label);
  } else if ("type" in cell) {
    element.append(make("span", "note", `${cell.type ?? "null"}  `));
    draw(element, cell.value, cell.type, follow);
  }
}

export function pairs(hex) {
  return hex.replace(/..(?=.)/g, "$& ");
}

function chip(cell, follow) {
  const button = make("button", "chip");
  button.type = "button";
  button.tabIndex = -1;
  const key = cell.link ?? cell.embedded;
  if ("link" in cell) button.append(`${cell.class} `);
  appendText(button, cell.label);
  button.addEventListener("click", (event) => {
    event.stopPropagation();
    follow(cell.class, key);
  });
  return button;
}

// The object that a cell leads to; null if it is no link.
export function target(cell) {
  if (cell === null || typeof cell !== "object") return null;
  if ("type" in cell) return target(cell.value);
  const key = cell.link ?? cell.embedded;
  return key === undefined ? null : { className: cell.class, key };
}

// What is copied of a cell.
export function copied(cell) {
  if (cell === null) return "";
  if (typeof cell !== "object") return String(cell);
  if ("type" in cell) return copied(cell.value);
  return cell.text ?? cell.hex ?? cell.label;
}
