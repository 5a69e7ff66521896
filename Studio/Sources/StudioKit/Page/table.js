// A table of any number of rows, of which only those in sight exist as elements.
//
// What is above the height limit of browsers is scrolled in proportion: the place of the scroll bar
// is a share of all rows then, and wheel and keys move by rows.

import { draw, make, appendText, isNumber, target, copied, grouped } from "./cells.js";

const blockSize = 100;
// Rows far from those in sight are forgotten.
const mostBlocks = 12;
// Browsers cut elements at some 17 to 33 million pixels.
const tallest = 8_000_000;
const defaultWidths = {
  bool: 80, int: 130, float: 110, double: 130, date: 190, uuid: 290, objectId: 210,
  decimal128: 130, string: 200, data: 220, object: 170, embedded: 260, mixed: 180,
};
const narrowest = 40;
// What a title may take of the table at first, unless its values need more.
const widestTitle = 240;
// After so many milliseconds without an answer, the user is told that it takes longer.
const patience = 400;

export class Table {
  // `source` has rows(from, count, signal), open(key), follow(className, key), sort(property),
  // waits(isWaiting), answered(answer), failed(error), message(text), mayEdit(),
  // edit(key, property, element).
  constructor(element, source) {
    this.element = element;
    this.source = source;
    this.window = make("div", "window");
    this.header = make("div", "row header");
    this.header.role = "row";
    this.rows = make("div", "rows");
    this.rows.role = "rowgroup";
    this.spacer = make("div");
    this.empty = make("div", "empty");
    this.window.append(this.header, this.rows, this.empty);
    element.append(this.window, this.spacer);
    this.blocks = new Map();
    this.requests = new Map();
    this.count = 0;
    this.top = 0;
    this.active = { row: 0, column: 0 };
    this.generation = 0;
    this.pool = [];
    element.addEventListener("scroll", () => this.didScroll());
    element.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    element.addEventListener("keydown", (event) => this.keyDown(event));
    element.addEventListener("copy", (event) => this.copy(event));
    new ResizeObserver(() => this.layOut()).observe(element);
  }

  // Shows the rows of another question.
  //
  // `columns` has { property, index, width, isHidden } in the order of the class. The rows of the
  // former question stay until there are others, if they are of the same class.
  show(columns, order, { at = 0, chosen = null, keepsPlace = false } = {}) {
    const isSameClass = this.columns === columns && this.isCounted && !this.problem;
    const rows = this.blocks.size ? this.blocks : this.former;
    this.forget();
    // Nobody waits for rows of the former question any more.
    this.settled?.();
    this.settled = null;
    this.former = isSameClass ? rows : null;
    this.isStale = isSameClass;
    this.columns = columns;
    this.order = order;
    this.chosen = chosen;
    if (!isSameClass) {
      this.count = 0;
      this.isCounted = false;
    }
    this.problem = null;
    this.isRefused = false;
    this.isStopped = false;
    this.waiting = null;
    this.wanted = at;
    if (!keepsPlace) {
      this.top = at;
      this.active = { row: at, column: this.active.column };
      this.element.scrollLeft = 0;
    }
    this.active.column = Math.min(this.active.column, this.visible.length);
    this.drawHeader();
    this.render();
  }

  forget() {
    this.abort();
    this.blocks = new Map();
    this.former = null;
  }

  abort() {
    this.generation += 1;
    for (const request of this.requests.values()) request.abort();
    this.requests.clear();
    this.wait(false);
  }

  // Ends a search. Its rows are not asked for again before there is another question.
  stop() {
    this.abort();
    this.isStopped = true;
    this.isStale = true;
    this.settle();
    this.render();
  }

  wait(isWaiting) {
    if (isWaiting) {
      this.timer ??= setTimeout(() => this.source.waits(true), patience);
    } else {
      clearTimeout(this.timer);
      this.timer = null;
      this.source.waits(false);
    }
  }

  // Reads the rows in sight again, as they are in another version, and shows what has changed.
  // Returns once they are there.
  refresh() {
    if (this.isStopped) return Promise.resolve();
    if (this.problem || this.isRefused) {
      this.show(this.columns, this.order, { keepsPlace: true });
    } else {
      this.abort();
      this.former = this.blocks;
      this.blocks = new Map();
      this.render();
    }
    return new Promise((resolve) => {
      this.settled?.();
      this.settled = resolve;
      this.settle();
    });
  }

  settle() {
    if (this.requests.size > 0) return;
    this.wait(false);
    this.settled?.();
    this.settled = null;
  }

  get visible() { return this.columns.filter((column) => !column.isHidden); }
  get rowHeight() { return this.header.offsetHeight || 28; }
  get page() {
    return Math.max(1, Math.floor(this.element.clientHeight / this.rowHeight) - 1);
  }
  get lastTop() { return Math.max(0, this.count - this.page); }
  get isScaled() { return (this.count + 1) * this.rowHeight > tallest; }

  // MARK: Places

  layOut() {
    if (!this.columns) return;
    const height = this.element.clientHeight;
    const all = Math.min((this.count + 1) * this.rowHeight + 2, tallest);
    this.window.style.height = `${height}px`;
    this.spacer.style.height = `${Math.max(0, all - height)}px`;
    this.placeScrollBar();
    this.render();
  }

  get scrollRange() { return this.element.scrollHeight - this.element.clientHeight; }

  placeScrollBar() {
    const place = this.isScaled
      ? (this.lastTop ? this.top / this.lastTop : 0) * this.scrollRange
      : this.top * this.rowHeight;
    if (Math.abs(this.element.scrollTop - place) < 1) return;
    this.element.scrollTop = place;
    this.ownScroll = this.element.scrollTop;
  }

  didScroll() {
    const place = this.element.scrollTop;
    if (place === this.ownScroll || !this.columns) return;
    this.ownScroll = place;
    this.top = this.isScaled
      ? (this.scrollRange ? place / this.scrollRange : 0) * this.lastTop
      : place / this.rowHeight;
    this.renderSoon();
  }

  wheel(event) {
    if (!this.isScaled || event.ctrlKey || event.shiftKey || !event.deltaY) return;
    event.preventDefault();
    const unit = event.deltaMode === 1 ? 1 : event.deltaMode === 2 ? this.page : 1 / this.rowHeight;
    this.moveTo(this.top + event.deltaY * unit);
  }

  moveTo(top) {
    this.top = Math.min(Math.max(0, top), this.lastTop);
    this.placeScrollBar();
    this.renderSoon();
  }

  renderSoon() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = null;
      this.render();
    });
  }

  // MARK: Drawing

  drawHeader() {
    const template = ["64px", ...this.visible.map((column) => `${column.width}px`)].join(" ");
    this.element.style.setProperty("--columns", template);
    const width = 64 + this.visible.reduce((sum, column) => sum + column.width, 0);
    this.window.style.width = `${width}px`;
    const corner = make("div", "cell position", "#");
    corner.role = "columnheader";
    corner.id = "cell--1-0";
    this.header.replaceChildren(corner);
    this.element.setAttribute("aria-colcount", this.visible.length + 1);
    this.header.setAttribute("aria-rowindex", 1);
    this.visible.forEach((column, index) => this.drawHeaderCell(column, index + 1));
  }

  drawHeaderCell(column, index) {
    const { property } = column;
    const cell = make("div", "cell");
    cell.role = "columnheader";
    cell.id = `cell--1-${index}`;
    cell.setAttribute("aria-colindex", index + 1);
    const order = this.order?.name === property.name ? this.order : null;
    cell.setAttribute(
      "aria-sort", order ? (order.descends ? "descending" : "ascending") : "none");
    appendText(cell, property.name);
    if (order) cell.append(order.descends ? " ▾" : " ▴");
    const notes = [
      property.primaryKey ? "primary key" : "", property.indexed ? "indexed" : "",
    ].filter(Boolean);
    cell.append(make("span", "type", property.description + (property.primaryKey ? ", key" : "")));
    cell.title = [`${property.name}: ${property.description}`, ...notes].join(", ");
    cell.addEventListener("click", () => {
      if (!this.didDrag) this.source.sort(property);
      this.didDrag = false;
    });
    const handle = make("span", "handle");
    handle.addEventListener("pointerdown", (event) => this.drag(event, column));
    handle.addEventListener("click", (event) => event.stopPropagation());
    cell.append(handle);
    this.header.append(cell);
  }

  drag(event, column) {
    event.preventDefault();
    event.stopPropagation();
    const start = event.clientX - column.width;
    const handle = event.currentTarget;
    handle.setPointerCapture(event.pointerId);
    const move = (next) => {
      this.didDrag = true;
      this.resize(column, next.clientX - start);
    };
    handle.addEventListener("pointermove", move);
    handle.addEventListener("pointerup", () => {
      handle.removeEventListener("pointermove", move);
      this.drawHeader();
      this.source.didResize();
    }, { once: true });
  }

  resize(column, width) {
    column.width = Math.max(narrowest, Math.round(width));
    const template = ["64px", ...this.visible.map((other) => `${other.width}px`)].join(" ");
    this.element.style.setProperty("--columns", template);
    const all = 64 + this.visible.reduce((sum, other) => sum + other.width, 0);
    this.window.style.width = `${all}px`;
  }

  render() {
    if (!this.columns) return;
    const height = this.rowHeight;
    const first = Math.floor(this.top);
    const shift = (this.top - first) * height;
    const rowsInSight = Math.ceil(this.element.clientHeight / height) + 1;
    const last = Math.min(first + rowsInSight, this.count);
    this.fetch(first, this.isCounted ? Math.max(last, first + 1) : first + 1);
    const count = Math.max(0, last - first);
    while (this.pool.length < count) {
      const row = make("div", "row");
      row.role = "row";
      row.addEventListener("pointerdown", (event) => { this.pressed = columnAt(event, row); });
      row.addEventListener("click", (event) => this.click(event, row));
      row.addEventListener("dblclick", () => this.edit());
      this.rows.append(row);
      this.pool.push(row);
    }
    this.pool.forEach((element, index) => {
      element.hidden = index >= count;
      if (index >= count) return;
      const position = first + index;
      element.style.transform = `translateY(${index * height - shift}px)`;
      this.drawRow(element, position);
    });
    this.element.classList.toggle("stale", Boolean(this.isStale));
    this.element.setAttribute("aria-rowcount", this.isCounted ? this.count + 1 : -1);
    this.markActive();
    const isEmpty = this.isCounted && !this.isStale && this.count === 0;
    const text = this.problem ?? (isEmpty ? this.source.nothing() : "");
    this.empty.textContent = text;
    this.empty.hidden = !text;
  }

  row(position, blocks = this.blocks) {
    const block = blocks?.get(Math.floor(position / blockSize));
    return block?.rows[position % blockSize];
  }

  drawRow(element, position) {
    const row = this.row(position);
    const shown = this.shownRow(position);
    if (element.shown === shown && element.position === position && shown
      && element.generation === this.drawn) return;
    // Values that stay keep their elements, so that a click that is under way hits them.
    const known = shown && element.shown?.key === shown.key && element.position === position
      && element.generation === this.drawn ? element.shown : null;
    element.shown = shown;
    element.position = position;
    element.generation = this.drawn;
    element.setAttribute("aria-rowindex", position + 2);
    element.classList.toggle("chosen", Boolean(shown) && shown.key === this.chosen);
    element.classList.toggle("inserted", Boolean(row?.isInserted));
    const number = make("div", "cell position", grouped(position + 1));
    number.role = "rowheader";
    number.id = `cell-${position}-0`;
    const cells = [number];
    this.visible.forEach((column, index) => {
      if (known && isSame(known.cells[column.index], shown.cells[column.index])) {
        const kept = element.children[index + 1];
        kept.classList.toggle("changed", Boolean(row?.changed?.has(column.index)));
        cells.push(kept);
        return;
      }
      const cell = make("div", "cell");
      cell.role = "gridcell";
      cell.id = `cell-${position}-${index + 1}`;
      cell.setAttribute("aria-colindex", index + 2);
      cell.dir = "auto";
      if (shown) {
        draw(cell, shown.cells[column.index], column.property.type, this.source.follow);
        if (isNumber(column.property)) cell.classList.add("number");
        if (row?.changed?.has(column.index)) cell.classList.add("changed");
      }
      cells.push(cell);
    });
    element.replaceChildren(...cells);
  }

  // Draws all rows anew, with other columns or widths.
  redraw() {
    this.drawn = (this.drawn ?? 0) + 1;
    this.active.column = Math.min(this.active.column, this.visible.length);
    this.drawHeader();
    this.render();
  }

  // MARK: Rows from the server

  fetch(first, end) {
    if (!this.columns.length || this.problem || this.isRefused || this.isStopped) return;
    const wanted = new Set();
    for (let block = Math.floor(first / blockSize); block * blockSize < end; block += 1) {
      wanted.add(block);
    }
    for (const [block, request] of this.requests) {
      if (wanted.has(block)) continue;
      request.abort();
      this.requests.delete(block);
    }
    for (const block of wanted) {
      if (!this.blocks.has(block) && !this.requests.has(block)) this.fetchBlock(block);
    }
  }

  async fetchBlock(block) {
    const request = new AbortController();
    const generation = this.generation;
    this.requests.set(block, request);
    this.wait(true);
    try {
      const answer = await this.source.rows(block * blockSize, blockSize, request.signal);
      if (generation !== this.generation || request.signal.aborted) return;
      this.requests.delete(block);
      this.take(block, answer);
      this.settle();
    } catch (error) {
      if (generation !== this.generation || error.name === "AbortError") return;
      this.requests.delete(block);
      this.settle();
      // A predicate with a mistake is mostly one that is being typed.
      if (error.code === "predicate" && this.isStale) {
        this.isRefused = true;
      } else {
        this.problem = error.message;
        this.count = 0;
      }
      this.source.failed(error);
      this.layOut();
    }
  }

  take(block, answer) {
    if (this.isStale) this.former = null;
    this.isStale = false;
    this.compare(answer);
    this.blocks.delete(block);
    this.blocks.set(block, answer);
    if (this.blocks.size > mostBlocks) this.blocks.delete(this.blocks.keys().next().value);
    this.count = answer.count;
    this.isCounted = true;
    const top = Math.min(this.wanted ?? this.top, this.lastTop);
    this.wanted = null;
    this.top = Math.max(0, top);
    const row = Math.min(this.active.row, Math.max(0, this.count - 1));
    if (this.waiting?.row === this.active.row) this.waiting.row = row;
    this.active.row = row;
    this.layOut();
    this.source.answered(answer);
    const { waiting } = this;
    if (waiting?.row === this.active.row) this.whenShown(waiting.body);
  }

  // Marks the rows of an answer that are new, and the values that differ from those shown before.
  compare(answer) {
    const inserted = new Set(answer.inserted);
    for (const row of answer.rows) row.isInserted = inserted.has(row.key);
    if (!this.former) return;
    const known = new Map();
    for (const block of this.former.values()) {
      for (const row of block.rows) known.set(row.key, row);
    }
    answer.rows = answer.rows.map((row) => {
      const old = known.get(row.key);
      if (!old) return row;
      const changed = new Set();
      row.cells.forEach((cell, index) => {
        if (!isSame(cell, old.cells[index])) changed.add(index);
      });
      if (changed.size) row.changed = changed;
      // What stays as it is keeps its elements, so that a click that is under way hits them.
      return row.changed || old.changed || old.isInserted ? row : old;
    });
  }

  // MARK: Using it

  click(event, row) {
    // If the row was drawn anew since the button went down, the click is of no cell.
    const column = columnAt(event, row) ?? this.pressed ?? 0;
    this.active = { row: row.position, column };
    this.element.focus({ preventScroll: true });
    this.markActive();
    if (column === 0) this.open();
  }

  markActive() {
    this.element.querySelector(".cell.active")?.classList.remove("active");
    const id = `cell-${this.active.row}-${this.active.column}`;
    const cell = document.getElementById(id);
    cell?.classList.add("active");
    if (cell) this.element.setAttribute("aria-activedescendant", id);
    else this.element.removeAttribute("aria-activedescendant");
  }

  // The row that is shown at a position, while it is read again the former one.
  shownRow(position) { return this.row(position) ?? this.row(position, this.former); }

  get activeColumn() { return this.visible[this.active.column - 1]; }
  get activeCell() {
    const row = this.shownRow(this.active.row);
    return row && this.activeColumn ? row.cells[this.activeColumn.index] : undefined;
  }

  // Calls `body` with the active row. If it is not here yet, that waits for it, unless the user
  // goes to another one.
  whenShown(body) {
    const { row: position } = this.active;
    const row = this.shownRow(position);
    const isComing = !row && (!this.isCounted || position < this.count);
    this.waiting = isComing ? { row: position, body } : null;
    if (row) body(row);
  }

  open() { this.whenShown((row) => this.source.open(row.key, this.active.row)); }

  // Lets the user change the value of the active cell. Where that is impossible, opens the object.
  edit() {
    this.whenShown((row) => {
      const cell = this.element.querySelector(".cell.active");
      if (cell && this.activeColumn && this.source.mayEdit()) {
        this.source.edit(row.key, this.activeColumn.property, cell);
      } else {
        this.open();
      }
    });
  }

  choose(key) {
    this.chosen = key;
    this.redraw();
  }

  activate() {
    if (this.active.row < 0) {
      if (this.activeColumn) this.source.sort(this.activeColumn.property);
      return;
    }
    this.whenShown(() => {
      const cell = this.activeCell;
      const object = cell === undefined ? null : target(cell);
      if (object) this.source.follow(object.className, object.key);
      else this.open();
    });
  }

  keyDown(event) {
    if (event.target !== this.element || !this.columns) return;
    const { row, column } = this.active;
    const control = event.ctrlKey || event.metaKey;
    const places = {
      ArrowDown: [row + 1, column], ArrowUp: [row - 1, column],
      ArrowRight: [row, column + 1], ArrowLeft: [row, column - 1],
      PageDown: [row + this.page, column], PageUp: [Math.max(0, row - this.page), column],
      Home: control ? [0, column] : [row, 0],
      End: control ? [Infinity, column] : [row, this.visible.length],
    };
    if (event.altKey && this.activeColumn && ["ArrowLeft", "ArrowRight"].includes(event.key)) {
      const step = event.key === "ArrowLeft" ? -20 : 20;
      this.resize(this.activeColumn, this.activeColumn.width + step);
      this.source.didResize();
    } else if (event.key === "Enter") {
      this.activate();
    } else if (event.key === "F2") {
      this.edit();
    } else if (event.key === " ") {
      this.open();
    } else if (places[event.key]) {
      this.goTo(...places[event.key]);
    } else {
      return;
    }
    event.preventDefault();
  }

  goTo(row, column) {
    this.waiting = null;
    if (!this.isCounted) {
      // The first answer says whether there is such a row, and shows it.
      this.wanted = this.active.row = Math.max(0, row);
      if (row !== Infinity) this.top = this.wanted;
      this.render();
      return;
    }
    this.active = {
      row: Math.min(Math.max(-1, row), this.count - 1),
      column: Math.min(Math.max(0, column), this.visible.length),
    };
    const shown = Math.max(0, this.active.row);
    if (shown < this.top) this.moveTo(shown);
    else if (shown > this.top + this.page - 1) this.moveTo(shown - this.page + 1);
    this.render();
    this.scrollToColumn();
  }

  scrollToColumn() {
    const cell = this.header.children[this.active.column];
    const { scrollLeft, clientWidth } = this.element;
    if (cell.offsetLeft < scrollLeft) this.element.scrollLeft = cell.offsetLeft;
    const end = cell.offsetLeft + cell.offsetWidth;
    if (end > scrollLeft + clientWidth) this.element.scrollLeft = end - clientWidth;
  }

  copy(event) {
    const cell = this.activeCell;
    if (cell === undefined || !document.getSelection().isCollapsed) return;
    event.clipboardData.setData("text/plain", copied(cell));
    event.preventDefault();
    this.source.message("Copied.");
  }
}

function isSame(cell, other) { return JSON.stringify(cell) === JSON.stringify(other); }

// The place of the cell in a row that an event is of; null if it is of none.
function columnAt(event, row) {
  const cell = event.target.closest(".cell");
  return cell ? [...row.children].indexOf(cell) : null;
}

// The columns of a class as they are shown at first.
export function columnsOf(properties) {
  return properties.map((property, index) => {
    const usual = property.collection ? 230 : (defaultWidths[property.type] ?? 160);
    // With the arrow of a column that is sorted by.
    const ofTitle = 52 + 9 * property.name.length + 7 * property.description.length;
    const width = Math.max(usual, Math.min(widestTitle, ofTitle));
    return { property, index, isHidden: false, width };
  });
}
