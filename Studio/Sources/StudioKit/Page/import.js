// Bringing objects in: which property each column of a file is for is shown, and can be changed,
// before anything is written.

import { appendText, grouped, make } from "./cells.js";
import { address, send, stop } from "./api.js";

// What is looked at of a file to find its columns.
const bytesOfPreview = 1 << 16;

export class Import {
  // `source` has path(), imported(outcome, text).
  constructor(source) {
    this.source = source;
    const element = (name) => document.getElementById(`import-${name}`);
    this.dialog = document.getElementById("import");
    this.title = element("title");
    this.file = element("file");
    this.format = element("format");
    this.delimiter = element("delimiter");
    this.existing = element("existing");
    this.columns = element("columns");
    this.status = element("status");
    this.start = element("start");
    for (const input of [this.file, this.format, this.delimiter]) {
      input.addEventListener("change", () => this.look(input === this.file));
    }
    element("form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.run();
    });
    this.cancel = element("cancel");
    this.cancel.addEventListener("click", () => {
      if (this.task) stop(this.task);
      else this.dialog.close();
    });
    this.dialog.addEventListener("close", () => this.request?.abort());
  }

  open(className, properties) {
    this.className = className;
    this.properties = properties;
    this.title.replaceChildren();
    appendText(this.title, `Import into ${className}`);
    this.file.value = "";
    this.say("");
    this.columns.replaceChildren();
    this.start.disabled = true;
    this.dialog.showModal();
  }

  say(text, isMistake = false) {
    this.status.className = isMistake ? "mistake" : "quiet";
    this.status.replaceChildren();
    appendText(this.status, text);
  }

  get question() {
    return {
      className: this.className, format: this.format.value, delimiter: this.delimiter.value,
      existing: this.existing.value, mapping: {},
    };
  }

  // Shows the columns of the file.
  async look(isNew) {
    const file = this.file.files[0];
    if (!file) return;
    if (isNew) {
      const isCSV = !/\.(json|jsonl|ndjson)$/i.test(file.name);
      this.format.value = isCSV ? "csv" : "jsonl";
      if (/\.tsv$/i.test(file.name)) this.delimiter.value = "\t";
    }
    this.delimiter.disabled = this.format.value !== "csv";
    this.start.disabled = true;
    this.columns.replaceChildren();
    this.say("");
    try {
      const { columns } = await this.post("preview", file.slice(0, bytesOfPreview));
      this.draw(columns);
      this.start.disabled = false;
    } catch (error) {
      if (error.name !== "AbortError") this.say(error.message, true);
    }
  }

  draw(columns) {
    const head = make("tr");
    for (const title of ["column", "first values", "property"]) {
      const cell = make("th", "", title);
      cell.scope = "col";
      head.append(cell);
    }
    this.selects = columns.map((column) => {
      const select = make("select");
      select.ariaLabel = `Property for ${column.name}`;
      const none = make("option", "", "left out");
      none.value = "";
      select.append(none, ...this.properties.map(({ name, description }) => {
        const option = make("option", "", `${name}: ${description}`);
        option.value = name;
        return option;
      }));
      select.value = column.property ?? "";
      select.addEventListener("change", () => this.count(columns));
      return select;
    });
    this.columns.replaceChildren(head, ...columns.map((column, index) => {
      const row = make("tr");
      const name = make("td");
      appendText(name, column.name);
      const samples = make("td", "samples");
      appendText(samples, column.samples.join("  ·  "));
      const property = make("td");
      property.append(this.selects[index]);
      row.append(name, samples, property);
      return row;
    }));
    this.count(columns);
  }

  count(columns) {
    this.mapping = {};
    columns.forEach((column, index) => {
      const property = this.selects[index].value;
      if (property) this.mapping[column.name] = property;
    });
    const used = new Set(Object.values(this.mapping));
    const missing = this.properties.filter((property) => !used.has(property.name));
    this.say(missing.length
      ? `Of new objects, these get no value: ${missing.map(({ name }) => name).join(", ")}.` : "");
  }

  async run() {
    const file = this.file.files[0];
    this.start.disabled = true;
    this.say("Importing…");
    this.task = crypto.randomUUID();
    this.cancel.textContent = "Stop";
    try {
      const outcome = await this.post("import", file, this.mapping);
      const parts = [`${grouped(outcome.inserted)} imported`];
      if (outcome.updated) parts.push(`${grouped(outcome.updated)} updated`);
      if (outcome.skipped) parts.push(`${grouped(outcome.skipped)} kept`);
      this.dialog.close();
      this.source.imported(outcome, `${file.name}: ${parts.join(", ")}`);
    } catch (error) {
      if (error.name === "AbortError") return;
      this.say(error.message, true);
      this.start.disabled = false;
    } finally {
      this.task = null;
      this.cancel.textContent = "Cancel";
    }
  }

  post(what, body, mapping = {}) {
    this.request?.abort();
    this.request = new AbortController();
    const name = this.file.files[0].name;
    const request = JSON.stringify({ ...this.question, mapping });
    const path = address(`${this.source.path()}/${what}`, { request, name, task: this.task });
    return send(path, body, this.request.signal);
  }
}
