// The runs of the benchmark runner: a list, and the page of one in a frame of an origin of its own.

import { getResults } from "./api.js";
import { appendText, grouped, make } from "./cells.js";

export const historyName = "*";

export class Results {
  // `source` has choose(run), failed(error).
  constructor(source) {
    this.source = source;
    this.element = document.getElementById("results");
  }

  // Returns whether there are any to show.
  async load() {
    this.runs = await getResults();
    return Boolean(this.runs);
  }

  hide() {
    this.element.hidden = true;
    this.element.replaceChildren();
    this.shown = undefined;
  }

  // Shows the page of a run, of all (`historyName`), or the list (null).
  show(run) {
    if (this.shown === run && !this.element.hidden) return;
    this.shown = run;
    this.element.hidden = false;
    if (run) this.showPage(run);
    else this.showList();
  }

  showList() {
    if (this.runs.length === 0) {
      return this.element.replaceChildren(make("p", "quiet", "There are no runs in the folder."));
    }
    const history = make("button", "", "History of all runs");
    history.addEventListener("click", () => this.source.choose(historyName));
    const table = make("table");
    const head = make("tr");
    for (const title of ["run", "began", "commit", "suite", "results", "processor"]) {
      const cell = make("th", "", title);
      cell.scope = "col";
      head.append(cell);
    }
    table.append(head, ...this.runs.map((run) => this.line(run)));
    this.element.replaceChildren(make("h2", "", "Benchmarks"), history, table);
  }

  line(run) {
    const line = make("tr");
    const name = make("td");
    if (run.problem) {
      appendText(name, run.name);
      const problem = make("td", "mistake");
      problem.colSpan = 5;
      appendText(problem, run.problem);
      line.append(name, problem);
      return line;
    }
    const open = make("button", "chip");
    appendText(open, run.name);
    open.addEventListener("click", () => this.source.choose(run.name));
    name.append(open);
    line.append(name);
    const began = run.startedAt.replace("T", " ").replace("Z", "");
    for (const text of [began, run.commit, run.suite, grouped(run.rows), run.processor]) {
      const cell = make("td");
      appendText(cell, text ?? "");
      line.append(cell);
    }
    return line;
  }

  showPage(run) {
    const bar = make("div", "bar");
    const all = make("button", "", "All runs");
    all.addEventListener("click", () => this.source.choose(null));
    const title = make("h2");
    appendText(title, run === historyName ? "History of all runs" : run);
    bar.append(all, title);
    const frame = make("iframe");
    // Its script sorts and searches. It can neither see this page nor ask the server.
    frame.setAttribute("sandbox", "allow-scripts");
    frame.title = title.textContent;
    frame.src = run === historyName
      ? "/results/history" : `/results/report?run=${encodeURIComponent(run)}`;
    this.element.replaceChildren(bar, frame);
  }
}
