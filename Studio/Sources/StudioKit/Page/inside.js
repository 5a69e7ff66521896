// What a file consists of: bytes by class and property, who pins versions, how it grows, and a
// picture of its pages.

import { events } from "./api.js";
import { appendText, bytes, grouped, make } from "./cells.js";

const mostSamples = 600;
const secondsOfRates = 10;
const secondsBetweenPins = 2;
const millisecondsOfProgress = 200;
// Distinguishable in light and dark, also by people who see colours differently (Okabe and Ito).
const colors = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8a800"];
const partNames = {
  roots: "roots and schema", objects: "objects", values: "long values and collections",
  primaryKeys: "primary keys", indexes: "indexes", backlinks: "links to objects",
  free: "free", kept: "kept for other versions",
};
const colorOfKept = "#7a5195";
const colorOfRest = "#777777";

export class Inside {
  // `source` has ask(what), path(), version(), failed(error), mayEdit(), compact(task),
  // progress(task), stop(task).
  constructor(source) {
    this.source = source;
    this.element = document.getElementById("inside");
    this.samples = [];
  }

  // Notes what a commit has made of the file. The samples are of one file.
  note(version, size) {
    this.samples.push({ time: performance.now() / 1000, version, size });
    if (this.samples.length > mostSamples) this.samples.shift();
    if (this.growth) this.drawGrowth();
  }

  forget() {
    this.samples = [];
    this.hide();
  }

  hide() {
    this.stream?.close();
    clearInterval(this.timer);
    this.element.hidden = true;
    this.element.replaceChildren();
    this.growth = null;
  }

  show() {
    this.hide();
    this.element.hidden = false;
    this.facts = make("dl", "facts");
    this.pins = make("div");
    this.growth = make("div", "growth");
    this.space = make("div");
    this.pages = make("div");
    const check = make("button", "main", "Check all pages");
    check.addEventListener("click", () => this.verify(check));
    this.compaction = make("div", "actions");
    this.drawCompaction();
    this.element.append(
      make("h2", "", "The file"), this.facts, this.compaction,
      make("h2", "", "Growth, while this page is open"),
      this.growth, make("h2", "", "Versions, and who pins them"), this.pins,
      make("h2", "", "Bytes by class"), this.space, make("h2", "", "Pages"), check, this.pages);
    this.drawGrowth();
    // Nothing can be read of a file that is being compacted.
    if (this.task) return;
    this.loadStatistics();
    this.loadSizes();
    this.timer = setInterval(() => this.loadStatistics(), secondsBetweenPins * 1000);
  }

  // MARK: Compaction

  drawCompaction() {
    if (this.task) {
      const cancel = make("button", "", "Stop compacting");
      cancel.addEventListener("click", () => {
        cancel.disabled = true;
        this.source.stop(this.task);
      });
      const bar = make("progress");
      bar.ariaLabel = "Bytes written";
      const text = make("span", "quiet");
      this.compaction.replaceChildren(cancel, bar, text);
      this.drawProgress = ({ done, all }) => {
        if (!all) return;
        bar.max = all;
        bar.value = Math.min(done, all);
        text.textContent = `${bytes(done)} of about ${bytes(all)} written`;
      };
      return;
    }
    const compact = make("button", "", "Compact");
    compact.title = "Rewrites the file without free space";
    compact.hidden = !this.source.mayEdit();
    compact.addEventListener("click", () => this.compact());
    this.compaction.replaceChildren(compact);
  }

  async compact() {
    const task = crypto.randomUUID();
    this.task = task;
    clearInterval(this.timer);
    this.drawCompaction();
    const look = setInterval(async () => {
      const state = await this.source.progress(task).catch(() => null);
      if (state && task === this.task) this.drawProgress(state);
    }, millisecondsOfProgress);
    // Afterwards the page begins anew.
    await this.source.compact(task, () => {
      clearInterval(look);
      this.task = null;
    });
  }

  // MARK: Statistics

  async loadStatistics() {
    try {
      const answer = await this.source.ask("statistics");
      this.drawStatistics(answer);
    } catch (error) {
      clearInterval(this.timer);
      this.source.failed(error);
    }
  }

  drawStatistics(answer) {
    const rest = answer.fileBytes - answer.liveBytes;
    const share = Math.round((answer.liveBytes / Math.max(1, answer.fileBytes)) * 100);
    const facts = [
      ["file", bytes(answer.fileBytes)],
      ["live", `${bytes(answer.liveBytes)}, ${share} %`],
      // What is free is known to those only who may write to the file.
      ...(answer.freeBytes === undefined
        ? [["free, or kept for older versions", bytes(Math.max(0, rest))]]
        : [["free", bytes(answer.freeBytes)],
          ["kept for older versions", bytes(answer.keptBytes)]]),
      ["format", `${answer.format}, pages of ${grouped(answer.pageSize)} bytes`],
      ["newest version", grouped(answer.newest)],
    ];
    this.facts.replaceChildren(...facts.flatMap(
      ([name, value]) => [make("dt", "", name), make("dd", "", value)]));
    if (answer.pins.length === 0) {
      this.pins.replaceChildren(make("p", "quiet", "No version is pinned."));
      return;
    }
    this.pins.replaceChildren(tableOf(
      ["version", "behind", "pinned for", "by"],
      answer.pins.map((pin) => [
        grouped(pin.version), grouped(answer.newest - pin.version), `${grouped(pin.seconds)} s`,
        pin.isOwn ? "this Studio"
          : `${pin.name ?? "a process"} (${pin.process})${pin.isFrozen ? ", frozen" : ""}`,
      ])));
  }

  // MARK: Growth

  drawGrowth() {
    const now = performance.now() / 1000;
    const last = this.samples.at(-1);
    if (!last) return;
    const recent = this.samples.filter((sample) => now - sample.time < secondsOfRates);
    const first = recent[0] ?? last;
    const seconds = Math.max(1, now - first.time);
    const text = recent.length > 1
      ? `${((last.version - first.version) / seconds).toFixed(1)} commits/s, `
        + `${bytes(Math.max(0, Math.round((last.size - first.size) / seconds)))}/s`
      : "No commits in the last ten seconds.";
    const [width, height] = [600, 70];
    const start = this.samples[0].time;
    const span = Math.max(1, now - start);
    const sizes = this.samples.map((sample) => sample.size);
    const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
    const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img" });
    picture.ariaLabel = `The file has ${bytes(last.size)}. ${text}`;
    const points = [...this.samples, { ...last, time: now }].map((sample) => {
      const x = ((sample.time - start) / span) * width;
      const y = height - 4 - ((sample.size - least) / Math.max(1, most - least)) * (height - 8);
      return `${x.toFixed(1)},${y.toFixed(1)}`;
    });
    picture.append(svg("polyline", {
      points: points.join(" "), fill: "none", stroke: "currentColor", "stroke-width": 1.5,
    }));
    this.growth.replaceChildren(
      picture, make("p", "quiet", `${bytes(least)} to ${bytes(most)}. ${text}`));
  }

  // MARK: Bytes

  async loadSizes() {
    this.space.replaceChildren(make("p", "quiet", "Measuring…"));
    try {
      const [{ classes }, { classes: definitions }] = await Promise.all(
        [this.source.ask("sizes"), this.source.ask("classes")]);
      const most = Math.max(1, ...classes.map((other) => other.total));
      this.space.replaceChildren(...classes.map((entry) => classSpace(
        entry, definitions.find((other) => other.name === entry.name), most)));
    } catch (error) {
      this.space.replaceChildren();
      this.source.failed(error);
    }
  }

  // MARK: Pages

  verify(button) {
    this.stream?.close();
    const stream = events(`${this.source.path()}/verify`, { version: this.source.version() });
    this.stream = stream;
    button.disabled = true;
    const progress = make("progress");
    progress.ariaLabel = "Pages checked";
    const cancel = make("button", "", "Stop");
    const end = (...elements) => {
      stream.close();
      button.disabled = false;
      this.pages.replaceChildren(...elements);
    };
    cancel.addEventListener("click", () => end(make("p", "quiet", "Stopped.")));
    this.pages.replaceChildren(progress, " ", cancel);
    const on = (name, body) => stream.addEventListener(
      name, (event) => body(JSON.parse(event.data)));
    on("progress", ({ done, all }) => {
      if (!all) return;
      progress.max = all;
      progress.value = Math.min(done, all);
    });
    on("result", (result) => end(...resultOf(result)));
    on("failure", ({ message }) => end(make("p", "mistake", message)));
    stream.addEventListener("error", () => end(make("p", "mistake", "The check has ended early.")));
  }
}

function svg(name, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

function tableOf(titles, rows) {
  const table = make("table");
  const head = make("tr");
  for (const title of titles) {
    const cell = make("th", "", title);
    cell.scope = "col";
    head.append(cell);
  }
  table.append(head);
  for (const row of rows) {
    const line = make("tr");
    for (const value of row) {
      const cell = make("td");
      if (value instanceof Node) cell.append(value);
      else appendText(cell, value);
      line.append(cell);
    }
    table.append(line);
  }
  return table;
}

// A class as a bar, which opens to the bytes of its properties.
function classSpace(entry, definition, most) {
  const details = make("details", "space");
  const summary = make("summary");
  const name = make("span", "name");
  appendText(name, entry.name);
  const bar = make("span", "bar");
  const filled = make("span");
  filled.style.width = `${(entry.total / most) * 100}%`;
  bar.append(filled);
  summary.append(name, bar, make("span", "bytes", bytes(entry.total)));
  const rows = (definition?.properties ?? []).flatMap((property, index) => [
    [property.name, property.description, bytes(entry.properties[index] ?? 0)],
    ...(entry.indexes[index] ? [["", "index", bytes(entry.indexes[index])]] : []),
  ]);
  for (const [part, title] of [
    ["primaryKeys", "primary keys"], ["backlinks", "links to it"], ["structure", "structure"],
  ]) {
    if (entry[part]) rows.push(["", title, bytes(entry[part])]);
  }
  details.append(summary, tableOf(["property", "", "bytes"], rows));
  return details;
}

function resultOf(result) {
  const verdict = make("p", result.problems.length ? "mistake" : "sound",
    result.problems.length
      ? `Version ${grouped(result.version)} is damaged: ${result.problems.length} `
        + `${result.problems.length === 1 ? "problem" : "problems"}.`
      : `Version ${grouped(result.version)} is sound.`);
  const problems = make("ul");
  for (const problem of result.problems) {
    const item = make("li");
    appendText(item, problem);
    problems.append(item);
  }
  const uses = result.uses.map((use, index) => ({ ...use, index }))
    .sort((a, b) => b.pages - a.pages);
  // The largest uses have colours of their own; the rest shares one. Free pages are empty boxes.
  const shades = new Map(uses.filter(({ part }) => part !== "free" && part !== "kept")
    .map((use, rank) => [use.index, colors[rank] ?? colorOfRest]));
  for (const { part, index } of uses) {
    if (part === "free") shades.set(index, null);
    if (part === "kept") shades.set(index, colorOfKept);
  }
  const used = uses.reduce((sum, use) => sum + use.pages, 0);
  const legend = tableOf(["", "class", "use", "pages", "bytes"], [
    ...uses.map((use) => [
      swatch(shades.get(use.index)), use.class ?? "", partNames[use.part],
      grouped(use.pages), bytes(use.pages * result.pageSize),
    ]),
    ["", "", "of newer versions, or of the file itself",
      grouped(Math.max(0, result.pageCount - used)),
      bytes(Math.max(0, result.pageCount - used) * result.pageSize)],
  ]);
  const note = make("p", "quiet",
    `${grouped(result.pageCount)} pages of ${grouped(result.pageSize)} bytes, `
    + (result.pagesPerCell === 1 ? "one in each cell"
      : `${grouped(result.pagesPerCell)} in each cell`) + ", from the beginning of the file.");
  return [verdict, problems, note, pictureOf(result.cells, shades), legend];
}

function swatch(color) {
  const element = make("span", color ? "swatch" : "swatch free");
  if (color) element.style.background = color;
  return element;
}

function pictureOf(cells, shades) {
  const canvas = make("canvas", "pages");
  canvas.role = "img";
  canvas.ariaLabel =
    "What the pages are used for, in their order. The table below has the numbers.";
  const columns = 64;
  const side = 10;
  canvas.width = columns * side;
  canvas.height = Math.ceil(cells.length / columns) * side;
  const context = canvas.getContext("2d");
  context.strokeStyle = colorOfRest;
  cells.forEach((use, index) => {
    if (use < 0) return;
    const [x, y] = [(index % columns) * side, Math.floor(index / columns) * side];
    const color = shades.get(use);
    if (color === null) {
      context.strokeRect(x + 1.5, y + 1.5, side - 4, side - 4);
      return;
    }
    context.fillStyle = color;
    context.fillRect(x, y, side - 1, side - 1);
  });
  return canvas;
}
