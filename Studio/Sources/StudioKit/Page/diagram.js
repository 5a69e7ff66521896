// The classes of a file and how they link to each other, as a picture and as Swift source.

import { make } from "./cells.js";

const lineHeight = 18;
const headHeight = 26;
const margin = 30;
const gap = { x: 90, y: 34 };
const characterWidth = 7.3;
const mostProperties = 40;
const longestName = 34;
const namespace = "http://www.w3.org/2000/svg";

function svg(name, attributes, text = null) {
  const element = document.createElementNS(namespace, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== null) element.textContent = text;
  return element;
}

function short(text) {
  const characters = [...text];
  return characters.length > longestName
    ? `${characters.slice(0, longestName - 1).join("")}…` : text;
}

// How many objects a property leads to.
function cardinality(property) {
  if (property.collection) return "*";
  return "0..1";
}

function boxOf(definition) {
  const shown = definition.properties.slice(0, mostProperties);
  const lines = shown.map((property) => ({
    property, name: short(property.name), type: short(property.description),
  }));
  const hidden = definition.properties.length - shown.length;
  if (hidden > 0) lines.push({ name: `and ${hidden} more`, type: "" });
  const longest = Math.max(
    definition.name.length + 4, ...lines.map((line) => line.name.length + line.type.length + 4));
  return {
    definition, lines, width: Math.min(longest, 2 * longestName + 4) * characterWidth + 16,
    height: headHeight + Math.max(1, lines.length) * lineHeight + 6,
  };
}

// Places classes in columns: what links to others stands left of them, as far as there are no
// circles.
function place(boxes) {
  const byName = new Map(boxes.map((box) => [box.definition.name, box]));
  for (const box of boxes) box.level = 0;
  for (let round = 0; round < Math.min(boxes.length, 6); round += 1) {
    for (const box of boxes) {
      for (const { target } of box.definition.properties) {
        const other = byName.get(target);
        if (other && other !== box && other.level <= box.level && box.level < 5) {
          other.level = box.level + 1;
        }
      }
    }
  }
  const levels = [...new Set(boxes.map((box) => box.level))].sort((a, b) => a - b);
  let x = margin;
  let height = 0;
  for (const level of levels) {
    let column = boxes.filter((box) => box.level === level);
    // A long column becomes several.
    while (column.length) {
      let y = margin;
      let width = 0;
      let taken = 0;
      for (const box of column) {
        if (taken > 0 && y + box.height > 900) break;
        Object.assign(box, { x, y });
        y += box.height + gap.y;
        width = Math.max(width, box.width);
        taken += 1;
      }
      column = column.slice(taken);
      height = Math.max(height, y);
      x += width + gap.x;
    }
  }
  return { byName, width: x - gap.x + margin, height };
}

// The picture stands for itself, also as a file: all it needs is in its attributes.
export function diagram(classes, isDark) {
  const ink = isDark ? "#e6e8ec" : "#1a1d23";
  const quiet = isDark ? "#9aa2b1" : "#5b6270";
  const back = isDark ? "#15171c" : "#ffffff";
  const raised = isDark ? "#28304f" : "#e3e9ff";
  const boxes = classes.map(boxOf);
  const { byName, width, height } = place(boxes);
  const picture = svg("svg", {
    xmlns: namespace, viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
    "font-family": "ui-monospace, monospace", "font-size": 12,
  });
  picture.append(svg("title", {}, "Classes and their links"));
  picture.append(svg("rect", { width, height, fill: back }));
  const links = svg("g", { fill: "none", stroke: quiet, "stroke-width": 1.2 });
  const texts = svg("g", { fill: quiet, "font-size": 11 });
  for (const box of boxes) {
    box.lines.forEach(({ property }, index) => {
      const other = byName.get(property?.target);
      if (other) drawLink(links, texts, box, index, other, property);
    });
  }
  picture.append(links);
  for (const box of boxes) picture.append(drawBox(box, { ink, quiet, back, raised }));
  picture.append(texts);
  return picture;
}

function drawLink(links, texts, box, index, other, property) {
  const y = box.y + headHeight + index * lineHeight + lineHeight / 2 + 2;
  const end = { y: other.y + headHeight / 2 };
  let path;
  let start;
  if (other.x > box.x) {
    start = { x: box.x + box.width, side: 1 };
    end.x = other.x;
  } else if (other === box || other.x === box.x) {
    start = { x: box.x + box.width, side: 1 };
    end.x = other.x + other.width;
  } else {
    start = { x: box.x, side: -1 };
    end.x = other.x + other.width;
  }
  const isBeside = other.x === box.x;
  const bend = isBeside ? 50 : Math.max(40, Math.abs(end.x - start.x) / 2);
  const back = isBeside ? bend : -start.side * bend;
  path = `M${start.x},${y} C${start.x + start.side * bend},${y} ${end.x + back},${end.y} `
    + `${end.x},${end.y}`;
  const attributes = { d: path };
  if (property.type === "embedded") attributes["stroke-dasharray"] = "5 3";
  links.append(svg("path", attributes));
  const arrow = isBeside ? -1 : start.side;
  links.append(svg("path", {
    d: `M${end.x - arrow * 7},${end.y - 4} L${end.x},${end.y} L${end.x - arrow * 7},${end.y + 4}`,
  }));
  texts.append(svg("text", {
    x: start.x + start.side * 6, y: y - 4, "text-anchor": start.side > 0 ? "start" : "end",
  }, cardinality(property)));
}

function drawBox(box, { ink, quiet, back, raised }) {
  const group = svg("g", {});
  group.append(
    svg("rect", {
      x: box.x, y: box.y, width: box.width, height: box.height, rx: 5, fill: back, stroke: quiet,
      ...(box.definition.embedded ? { "stroke-dasharray": "5 3" } : {}),
    }),
    svg("rect", {
      x: box.x + 1, y: box.y + 1, width: box.width - 2, height: headHeight - 2, rx: 4, fill: raised,
    }),
    svg("text", { x: box.x + 8, y: box.y + 17, fill: ink, "font-weight": "bold" },
      short(box.definition.name)));
  box.lines.forEach((line, index) => {
    const y = box.y + headHeight + (index + 1) * lineHeight - 4;
    const isKey = line.property?.primaryKey;
    group.append(
      svg("text", {
        x: box.x + 8, y, fill: ink, ...(isKey ? { "text-decoration": "underline" } : {}),
      }, line.name),
      svg("text", { x: box.x + box.width - 8, y, fill: quiet, "text-anchor": "end" }, line.type));
  });
  return group;
}

export class Diagram {
  // `source` has ask(what), classes(), failed(error).
  constructor(source) {
    this.source = source;
    this.element = document.getElementById("diagram");
  }

  hide() {
    this.element.hidden = true;
    this.element.replaceChildren();
  }

  async show() {
    this.hide();
    this.element.hidden = false;
    const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    const picture = diagram(this.source.classes(), isDark);
    const frame = make("div", "picture");
    frame.tabIndex = 0;
    frame.append(picture);
    const source = make("pre");
    source.tabIndex = 0;
    const actions = make("div", "actions");
    actions.append(
      save("Save as SVG", "classes.svg", "image/svg+xml",
        () => new XMLSerializer().serializeToString(diagram(this.source.classes(), false))),
      save("Save as Swift", "Models.swift", "text/plain", () => source.textContent));
    this.element.append(
      actions, make("h2", "", "Classes"), frame, make("h2", "", "Swift source"), source);
    try {
      source.textContent = (await this.source.ask("source")).text;
    } catch (error) {
      this.source.failed(error);
    }
  }
}

function save(title, name, type, text) {
  const button = make("button", "", title);
  button.addEventListener("click", () => {
    const address = URL.createObjectURL(new Blob([text()], { type }));
    const link = make("a");
    link.href = address;
    link.download = name;
    link.click();
    URL.revokeObjectURL(address);
  });
  return button;
}
