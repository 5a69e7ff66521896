// The page: which file, class, question and object it shows, and what its buttons do.
//
// What is shown is in the address behind '#', so that the browser's way back is the page's.

import { address, get, post, progress, stop } from "./api.js";
import { appendText, bytes, grouped, make } from "./cells.js";
import { Detail } from "./detail.js";
import { Diagram } from "./diagram.js";
import { Editor } from "./edit.js";
import { Import } from "./import.js";
import { Inside } from "./inside.js";
import { Live } from "./live.js";
import { QueryBox } from "./query.js";
import { Results } from "./results.js";
import { Table, columnsOf } from "./table.js";

const element = (id) => document.getElementById(id);
let files = [];
let classes = [];
let sizes = null;
let shown = {};
let version = null;
// What is being opened. Until its classes are known, what the address says of it waits.
let opening = null;
// The version that was shown before, which is kept for a moment. Rows that it lacks light up.
let former = null;
let frozen = false;
let columns = [];

// MARK: The address

function readAddress() {
  const parameters = new URLSearchParams(location.hash.slice(1));
  const name = parameters.get("order");
  return {
    file: Number(parameters.get("file") ?? files.find((file) => file.isOpen)?.number ?? 0),
    view: parameters.get("view"),
    run: parameters.get("run"),
    className: parameters.get("class"),
    predicate: parameters.get("where") ?? "",
    order: name ? { name, descends: parameters.get("descends") === "1" } : null,
    object: parameters.get("object"),
    at: Number(parameters.get("at") ?? 0),
  };
}

function go(changes, { replaces = false } = {}) {
  // What was typed a moment ago belongs to what is asked for now.
  const typed = query.isPending ? { predicate: query.text.trim() } : {};
  query.forget();
  const next = { ...shown, at: 0, view: null, run: null, ...typed, ...changes };
  const parameters = new URLSearchParams();
  if (files.length > 1) parameters.set("file", next.file);
  if (next.view) parameters.set("view", next.view);
  if (next.run) parameters.set("run", next.run);
  if (next.className) parameters.set("class", next.className);
  if (next.predicate) parameters.set("where", next.predicate);
  if (next.order) parameters.set("order", next.order.name);
  if (next.order?.descends) parameters.set("descends", "1");
  if (next.at) parameters.set("at", next.at);
  if (next.object) parameters.set("object", next.object);
  const hash = `#${parameters}`;
  if (hash === location.hash) return;
  if (replaces) history.replaceState(null, "", hash);
  else history.pushState(null, "", hash);
  apply().catch(fail);
}

window.addEventListener("popstate", () => {
  if (query.isPending) query.text = readAddress().predicate;
  apply().catch(fail);
});

async function apply(options = {}) {
  const next = readAddress();
  const former = shown;
  if (former.file !== next.file) {
    shown = next;
    await openFile(options);
    return;
  }
  if (files.length === 0) {
    shown = next;
    return showView();
  }
  if (opening) {
    shown = next;
    return;
  }
  if (!next.className) next.className = classes.find((other) => !other.embedded)?.name;
  shown = next;
  const isSame = former.className === next.className && former.predicate === next.predicate
    && former.order?.name === next.order?.name && former.order?.descends === next.order?.descends;
  if (isBannerOfChange && (!isSame || former.view !== next.view)) showBanner(null);
  if (!isSame) {
    document.body.classList.remove("menu");
    if (former.className !== next.className) loadColumns();
    showPredicate(next.predicate);
    hidePlan();
    drawClasses();
    showTable();
    drawExport();
  } else if (former.at !== next.at && next.at) {
    table.goTo(next.at, table.active.column);
  }
  if (former.object !== next.object || !isSame) showObject();
  if (former.view !== next.view || former.run !== next.run) showView();
}

// What was typed a moment ago stays, and is asked for soon.
function showPredicate(predicate) {
  if (!query.isPending && query.text.trim() !== predicate) query.text = predicate;
}

// The objects, or one of the other views of the file.
function showView() {
  document.body.classList.remove("menu");
  element("main").hidden = Boolean(shown.view) || !files[shown.file]?.isOpen;
  if (!shown.view && isTableStale) {
    isTableStale = false;
    table.refresh();
  }
  if (shown.view === "results" && results.runs) results.show(shown.run);
  else results.hide();
  if (!files[shown.file]?.isOpen) return;
  if (shown.view === "inside") inside.show();
  else inside.hide();
  if (shown.view === "diagram") diagram.show();
  else diagram.hide();
  drawClasses();
}

for (const name of ["inside", "diagram", "results"]) {
  element(`show-${name}`).addEventListener("click", () => go({ view: name, object: null }));
}

function showObject(takesFocus = false) {
  if (shown.object) {
    detail.show(shown.className, shown.object, takesFocus);
  } else {
    detail.hide();
  }
  if (table.columns && table.chosen !== shown.object) table.choose(shown.object);
}

// MARK: Files

async function loadFiles() {
  files = await get("");
  const select = element("file");
  const names = files.map((file) => file.path.split("/").at(-1));
  select.replaceChildren(...files.map((file, index) => {
    // Files of one name are told apart by their paths.
    const isUnique = names.filter((name) => name === names[index]).length === 1;
    const option = make("option", "", isUnique ? names[index] : file.path);
    option.value = file.number;
    return option;
  }));
}

async function openFile({ isSameFile = false } = {}) {
  const file = files[shown.file];
  opening = null;
  live.end();
  classes = [];
  sizes = null;
  version = null;
  setFrozen(false);
  element("freeze").disabled = true;
  if (!isSameFile) editor.forget(file?.isEditable);
  element("edited").textContent = "";
  element("file").value = shown.file;
  element("size").textContent = file?.size === undefined ? "" : bytes(file.size);
  document.title = file ? `${file.path.split("/").at(-1)} - Realm Studio` : "Realm Studio";
  showBanner(file?.message ?? null);
  element("main").hidden = true;
  drawClasses();
  detail.hide();
  inside.forget();
  diagram.hide();
  if (!file?.isOpen) showView();
  if (!file) return;
  if (!file.isOpen) {
    if (file.needsKey) {
      showBanner(file.message, "Enter the key", () => askKey(file.message));
      askKey(file.message);
    } else {
      showBanner(file.message, "Try again", () => reopen(null));
    }
    return;
  }
  const { file: number } = shown;
  const own = opening = {};
  live.follow(number);
  // A predicate can be typed meanwhile.
  const { view, predicate } = readAddress();
  showPredicate(predicate);
  table.show([], null);
  say("");
  element("main").hidden = Boolean(view);
  try {
    await loadClasses();
  } catch (error) {
    if (own !== opening) return;
    opening = null;
    element("main").hidden = true;
    throw error;
  }
  // Another file may have been chosen meanwhile.
  if (own !== opening) return;
  opening = null;
  shown = { file: number };
  await apply();
  query.classesAreKnown();
  loadSizes();
}

async function reopen(key) {
  // The server lets go of the former file once no page shows it.
  live.end();
  try {
    const file = await post(`/${shown.file}/open`, { key });
    files[file.number] = file;
    // Another one may have been chosen meanwhile.
    if (file.number !== shown.file) return;
    shown = { file: file.number };
    await openFile();
  } catch (error) {
    fail(error);
  }
}

function askKey(message) {
  element("key-message").textContent = message;
  element("key").value = "";
  element("key-dialog").showModal();
}

element("key-form").addEventListener("submit", (event) => {
  const key = element("key").value.trim();
  element("key").value = "";
  if (event.submitter?.value === "open") reopen(key);
});

element("file").addEventListener("change", () => {
  go({
    file: Number(element("file").value), className: null, predicate: "", order: null, object: null,
  });
});

// MARK: Classes

async function loadClasses() {
  const { file } = shown;
  const former = new Map(classes.map((other) => [other.name, other.count]));
  const answer = await ask("classes");
  // Another file may have been chosen meanwhile.
  if (file !== shown.file) return;
  version ??= answer.version;
  element("freeze").disabled = false;
  classes = answer.classes;
  for (const other of classes) {
    other.changed = former.has(other.name) && former.get(other.name) !== other.count;
  }
  drawClasses();
}

// When the sizes are measured again, if there are commits. That reads all leaves of the file, so
// it is done a small part of the time only.
let nextSizes = Infinity;
const shareOfMeasuring = 20;
const leastPauseOfSizes = 5000;

async function loadSizes() {
  const number = shown.file;
  nextSizes = Infinity;
  const start = performance.now();
  try {
    const answer = await ask("sizes");
    if (number !== shown.file) return;
    sizes = new Map(answer.classes.map((other) => [other.name, other.total]));
    drawClasses();
    const now = performance.now();
    nextSizes = now + Math.max(leastPauseOfSizes, shareOfMeasuring * (now - start));
  } catch (error) {
    if (error.code === "damaged") fail(error);
  }
}

function drawClasses() {
  for (const name of ["inside", "diagram", "results"]) {
    element(`show-${name}`).setAttribute("aria-current", shown.view === name);
  }
  const names = JSON.stringify(classes.map(({ name, embedded }) => [name, embedded]));
  const list = element("classes");
  // Commits change numbers only. A button that stays gets the click that is under way.
  if (names !== list.dataset.names) {
    list.dataset.names = names;
    const entries = [];
    for (const [title, isEmbedded] of [["Classes", false], ["Embedded", true]]) {
      const some = classes.filter((other) => other.embedded === isEmbedded);
      if (some.length === 0) continue;
      const heading = make("li");
      heading.append(make("h2", "", title));
      entries.push(heading, ...some.map(({ name }) => classEntry(name)));
    }
    list.replaceChildren(...entries);
  }
  const known = new Map(classes.map((other) => [other.name, other]));
  for (const button of list.querySelectorAll(".class")) drawClass(button, known);
}

function classEntry(name) {
  const item = make("li");
  const button = make("button", "class");
  button.dataset.name = name;
  const title = make("span", "name");
  appendText(title, name);
  button.append(title, make("span", "count"), make("span", "bytes"));
  button.addEventListener("click", () => {
    document.body.classList.remove("menu");
    go({ className: name, predicate: "", order: null, object: null });
  });
  item.append(button);
  return item;
}

function drawClass(button, known) {
  const { name, count, changed } = known.get(button.dataset.name);
  const [, shownCount, shownBytes] = button.children;
  shownCount.classList.toggle("changed", Boolean(changed));
  if (shownCount.textContent !== grouped(count)) {
    shownCount.textContent = grouped(count);
    // Lights up anew.
    for (const animation of shownCount.getAnimations()) animation.currentTime = 0;
  }
  shownBytes.textContent = sizes?.has(name) ? bytes(sizes.get(name)) : "";
  button.title = `${name}: ${grouped(count)} objects`;
  if (name === shown.className && !shown.view) button.setAttribute("aria-current", "true");
  else button.removeAttribute("aria-current");
}

element("menu").addEventListener("click", () => {
  const isOpen = document.body.classList.toggle("menu");
  element("menu").setAttribute("aria-expanded", isOpen);
});

// MARK: Columns

function columnsKey() { return `columns ${files[shown.file].path} ${shown.className}`; }

function loadColumns() {
  const found = classes.find((other) => other.name === shown.className);
  columns = columnsOf(found?.properties ?? []);
  let stored = {};
  try { stored = JSON.parse(localStorage.getItem(columnsKey())) ?? {}; } catch { /* as new */ }
  for (const column of columns) {
    const known = stored[column.property.name];
    if (!known) continue;
    column.isHidden = known.isHidden === true;
    if (Number.isFinite(known.width)) column.width = known.width;
  }
  element("column-list").replaceChildren(...columns.map((column) => {
    const label = make("label");
    const box = make("input");
    box.type = "checkbox";
    box.checked = !column.isHidden;
    box.addEventListener("change", () => {
      column.isHidden = !box.checked;
      keepColumns();
      table.redraw();
    });
    label.append(box);
    appendText(label, column.property.name);
    return label;
  }));
  drawSaved();
}

function keepColumns() {
  const stored = {};
  for (const { property, isHidden, width } of columns) stored[property.name] = { isHidden, width };
  localStorage.setItem(columnsKey(), JSON.stringify(stored));
}

for (const list of document.querySelectorAll(".list")) {
  document.addEventListener("click", (event) => {
    if (!list.contains(event.target)) list.open = false;
  });
  list.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    list.open = false;
    list.querySelector("summary").focus();
  });
}

// MARK: Rows

function path() { return `/${shown.file}`; }

function question() {
  const { className, predicate, order } = shown;
  return {
    class: className, predicate,
    order: order ? order.name + (order.descends ? ":desc" : "") : null,
  };
}

// Asks again without a version if nobody shows the one that was asked for any more.
async function ask(what, parameters = {}, signal = undefined) {
  const { file } = shown;
  const address = `${path()}/${what}`;
  try {
    return await get(address, { version, ...parameters }, signal);
  } catch (error) {
    // What went wrong with another file than the one that is shown by now is not told.
    if (file !== shown.file) throw new DOMException("Another file is shown", "AbortError");
    if (error.code !== "gone") throw error;
    return get(address, parameters, signal);
  }
}

const table = new Table(element("table"), {
  rows: (from, count, signal) => ask(
    "rows", { ...question(), from, count, since: former }, signal),
  open: (key, at) => {
    go({ object: key, at }, { replaces: Boolean(shown.object) });
    showObject(true);
  },
  follow,
  sort(property) {
    if (property.collection || property.target || property.type === "mixed") {
      return say(`Objects cannot be sorted by '${property.name}'.`);
    }
    const { order } = shown;
    const isSame = order?.name === property.name;
    // Ascending, then descending, then as the objects were made.
    const next = isSame && order.descends ? null : { name: property.name, descends: isSame };
    go({ order: next });
  },
  didResize: keepColumns,
  waits(isWaiting) { element("searching").hidden = !isWaiting; },
  answered(answer) {
    query.showMistake(null);
    drawAnswer(answer);
  },
  failed(error) {
    if (error.code === "predicate") {
      query.showMistake(error);
      element("answer").textContent = "";
    } else {
      fail(error);
    }
  },
  nothing: () => (shown.predicate ? "No object matches." : "There are no objects of this class."),
  message: say,
  mayEdit,
  edit: (key, property, cell) => editProperty({ className: shown.className, key }, property, cell),
});

function showTable() {
  questions += 1;
  endPause?.();
  element("search-again").hidden = true;
  const isOf = classes.find((other) => other.name === shown.className);
  if (!isOf) {
    table.show([], null);
    element("answer").textContent =
      classes.length ? `There is no class '${shown.className}'.` : "The file has no classes.";
    return;
  }
  element("table").setAttribute("aria-label", `Objects of ${shown.className}`);
  for (const id of ["add", "import-open"]) element(id).hidden = !mayEdit() || isOf.embedded;
  table.show(columns, shown.order, { at: shown.at, chosen: shown.object });
}

element("stop").addEventListener("click", () => {
  table.stop();
  say("Stopped.");
  element("search-again").hidden = false;
  element("search-again").focus();
});
element("search-again").addEventListener("click", () => {
  say("");
  showTable();
});

function drawAnswer({ count, seconds }) {
  const time = seconds < 0.001 ? "under 1 ms" : `${(seconds * 1000).toFixed(0)} ms`;
  const all = classes.find((other) => other.name === shown.className)?.count ?? 0;
  const of = shown.predicate ? ` of ${grouped(all)}` : "";
  const noun = (shown.predicate ? all : count) === 1 ? "object" : "objects";
  const text = `${grouped(count)}${of} ${noun}`;
  const status = element("answer");
  // Said to a screen reader when it changes, which the time always does, and not what commits make
  // of it.
  const asked = JSON.stringify([shown.file, question()]);
  status.ariaLive = status.dataset.asked === asked ? "off" : "polite";
  status.dataset.asked = asked;
  if (status.dataset.text !== text) {
    status.replaceChildren(make("span", "", text), make("span", "time"));
    status.dataset.text = text;
  }
  const shownTime = status.querySelector(".time");
  shownTime.ariaHidden = "true";
  shownTime.textContent = `, ${time}`;
}

// Returns a function that tells whether the user still waits for what was asked for now: has not
// gone elsewhere, nor asked for something else.
let lastWish = null;
function wish() {
  query.flush();
  const from = shown;
  const own = lastWish = {};
  return () => from === shown && own === lastWish;
}

async function follow(className, key) {
  const isWanted = wish();
  try {
    const object = await ask("object", { class: className, key });
    if (!isWanted()) return;
    if (!object) return say("The object has been deleted.");
    go({ className, predicate: "", order: null, object: key, at: object.position });
  } catch (error) {
    fail(error);
  }
}

const detail = new Detail({
  ask, classes: () => classes, follow,
  close() {
    go({ object: null, at: shown.at }, { replaces: true });
    element("table").focus();
  },
  failed: fail,
  mayEdit,
  edit: editProperty,
  remove: (object, seen) => editor.change(
    "delete", { object, seen }, `Deleted ${nameOf(object)}`).catch(failToEdit),
  change({ class: className, key, property }, seen, change) {
    const object = { className, key };
    const text = `Changed ${property} of ${nameOf(object)}`;
    return editor.edit(object, property, seen, change, text).catch(failToEdit);
  },
  insert(place, property, seen, at, anchor) {
    openElement(place, property, seen, anchor, {
      title: `Element ${at} of ${property.name}`,
      change: (text) => ({ insert: { text, at } }),
    });
  },
  add(place, property, seen, anchor) {
    openElement(place, property, seen, anchor, {
      title: `New element of ${property.name}`, hasKey: property.collection === "map",
      change: (text, key) => ({ add: { text, key } }),
    });
  },
  async replace(place, property, seen, at, name, anchor) {
    const isWanted = wish();
    try {
      const draft = await ask("draft", { ...place, at });
      if (!isWanted()) return;
      if (draft.fingerprint !== seen) {
        throw new Error(`Somebody else has changed '${property.name}' meanwhile.`);
      }
      openElement(place, property, seen, anchor, {
        title: `${name} in ${property.name}`, draft,
        change: (text) => ({ replace: { text, at } }),
      });
    } catch (error) {
      failToEdit(error);
    }
  },
});

// Lets the user write an element. `change` returns the change that makes it one of the collection.
function openElement({ class: className, key }, property, seen, anchor, { change, ...options }) {
  const object = { className, key };
  editor.open({
    ...options, place: anchor.getBoundingClientRect(), property, isElement: true,
    send: (text, draft, keyOfMap) => editor.edit(
      object, property.name, seen, change(text, keyOfMap),
      `Changed ${property.name} of ${nameOf(object)}`),
  });
}

const inside = new Inside({
  ask, path, version: () => version, failed: fail, mayEdit, compact, progress, stop,
});
const results = new Results({ choose: (run) => go({ view: "results", run, object: null }) });
const diagram = new Diagram({ ask, classes: () => classes, failed: fail });

// MARK: Changes

// Its own changes the page shows at once.
function didChange(outcome, text) {
  element("edited").textContent = text;
  showBanner(null);
  former = version;
  version = outcome.version;
  refresh();
}

const editor = new Editor({
  path, post,
  changed: didChange,
  show: ({ className, key }) => follow(className, key),
  failed: failToEdit,
});

function mayEdit() { return Boolean(files[shown.file]?.isEditable) && !frozen; }

function nameOf({ className, key }) { return `${className} #${key}`; }

async function editProperty(object, property, anchor) {
  const { className, key } = object;
  // A row may be drawn anew before the value is here.
  const place = anchor.getBoundingClientRect();
  const isWanted = wish();
  const early = editor.keepKeys(() => { lastWish = null; });
  try {
    const draft = await ask("draft", { class: className, key, property: property.name });
    if (!isWanted()) return;
    editor.open({
      place, property, draft, early, title: `${property.name} of ${nameOf(object)}`,
      send: (text, { fingerprint }) => editor.edit(
        object, property.name, fingerprint, { set: { text } },
        `Changed ${property.name} of ${nameOf(object)}`),
    });
  } catch (error) {
    failToEdit(error);
  } finally {
    early.end();
  }
}

async function addObject(primaryKey) {
  const { className } = shown;
  const isWanted = wish();
  const outcome = await editor.change(
    "add", { className, primaryKey }, `Added an object of ${className}`);
  if (outcome && isWanted()) await follow(className, outcome.object.key);
}

element("add").addEventListener("click", () => {
  const { properties } = classes.find((other) => other.name === shown.className);
  const property = properties.find((other) => other.primaryKey);
  if (!property) return addObject(null).catch(failToEdit);
  editor.open({
    place: element("add").getBoundingClientRect(), property,
    title: `${property.name} of a new ${shown.className}`,
    send: addObject,
  });
});

const importer = new Import({ path, imported: didChange });

element("import-open").addEventListener("click", () => {
  const { properties } = classes.find((other) => other.name === shown.className);
  importer.open(shown.className, properties);
});

// Calls `ended` before the file is shown again.
async function compact(task, ended) {
  live.end();
  let text = "";
  let failure = null;
  try {
    const { before, after } = await post(`${path()}/compact`, {}, { task });
    text = `Compacted: ${bytes(before)} before, ${bytes(after)} now`;
  } catch (error) {
    if (error.code === "stopped") text = "Stopped: the file is as it was";
    else failure = error;
  }
  ended();
  // It was closed meanwhile, whatever has happened.
  await loadFiles();
  shown = {};
  await apply({ isSameFile: true });
  element("edited").textContent = text;
  if (failure) failToEdit(failure);
}

// What was refused is of no interest any more once the user looks at something else.
function failToEdit(error) {
  showBanner(error.message, "Close", () => showBanner(null));
  isBannerOfChange = true;
}

// MARK: Export

function drawExport() {
  if (!element("export").open) return;
  const names = columns.filter((column) => !column.isHidden).map((column) => column.property.name);
  for (const format of ["csv", "jsonl"]) {
    const link = element(`export-${format}`);
    link.href = address(`${path()}/export`, {
      ...question(), version: frozen ? version : null, format, columns: JSON.stringify(names),
    });
    link.download = `${shown.className}.${format}`;
  }
}

element("export").addEventListener("toggle", () => {
  query.flush();
  drawExport();
});
element("export").addEventListener("click", (event) => {
  if (event.target.closest("a")) element("export").open = false;
});

// MARK: Queries

const query = new QueryBox({
  run: (predicate) => {
    if (predicate !== shown.predicate) go({ predicate, object: null }, { replaces: true });
  },
  context: () => ({ className: shown.className, classes }),
});

element("clear").addEventListener("click", () => {
  query.text = "";
  query.run();
  query.input.focus();
});

function savedKey() { return `saved ${files[shown.file].path} ${shown.className}`; }

function saved() {
  try { return JSON.parse(localStorage.getItem(savedKey())) ?? []; } catch { return []; }
}

function drawSaved() {
  const select = element("saved");
  const all = saved();
  select.hidden = all.length === 0;
  const title = make("option", "", "Saved");
  title.value = "";
  select.replaceChildren(title, ...all.map((predicate) => {
    const option = make("option", "", predicate);
    option.value = predicate;
    return option;
  }));
  element("save").textContent =
    shown.predicate && all.includes(shown.predicate) ? "Forget" : "Save";
}

element("save").addEventListener("click", () => {
  query.flush();
  const predicate = query.text.trim();
  if (!predicate) return say("There is no predicate to save.");
  const all = saved();
  const next = all.includes(predicate)
    ? all.filter((other) => other !== predicate) : [predicate, ...all].slice(0, 50);
  localStorage.setItem(savedKey(), JSON.stringify(next));
  drawSaved();
});

element("saved").addEventListener("change", () => {
  query.text = element("saved").value;
  query.run();
});

function hidePlan() {
  for (const [button, id] of [["explain", "plan"], ["typed", "source"]]) {
    element(id).hidden = true;
    element(button).setAttribute("aria-expanded", "false");
  }
  drawSaved();
}

element("explain").addEventListener("click", async () => {
  const plan = element("plan");
  const isWanted = wish();
  if (!plan.hidden) return hidePlan();
  try {
    const answer = await ask("explain", question());
    if (!isWanted()) return;
    hidePlan();
    plan.textContent = answer.text;
    plan.hidden = false;
    element("explain").setAttribute("aria-expanded", "true");
  } catch (error) {
    fail(error);
  }
});

element("typed").addEventListener("click", async () => {
  const isWanted = wish();
  if (!element("source").hidden) return hidePlan();
  try {
    const { text, problem } = await ask("typed", question());
    if (!isWanted()) return;
    hidePlan();
    element("source-text").replaceChildren();
    appendText(element("source-text"), text);
    element("source-problem").textContent = problem
      ? `There is no typed form of it: ${problem} This is the one as text.` : "";
    element("source").hidden = false;
    element("typed").setAttribute("aria-expanded", "true");
    element("source-copy").onclick = async () => {
      await navigator.clipboard.writeText(text);
      say("Copied.");
    };
  } catch (error) {
    if (error.code === "predicate") query.showMistake(error);
    else fail(error);
  }
});

// MARK: Versions

let isRefreshing = false;
let isOutOfDate = false;
let isTableStale = false;
// Counts what was asked for. What one question takes is no reason to rest before the next one.
let questions = 0;
let endPause = null;

const live = new Live({
  version(number, size, isFirst) {
    // What this page has changed is shown already, while the stream may still tell of before.
    if (!isFirst && version !== null && number < version) return;
    element("size").textContent = bytes(size);
    inside.note(number, size);
    const isNew = version !== null && number !== version;
    former = isNew ? version : null;
    version = number;
    drawLive();
    if (isNew) refresh();
  },
  newest(number) { drawLive(number); },
  replaced() {
    showBanner(
      "Another file is at this path now, or none. What is shown is of the former one.",
      "Open what is there", () => reopen(null));
  },
  lost() {
    setFrozen(false);
    say("The frozen version is not kept any more. The newest one is shown.");
  },
});

// Shows the new version, but not before the last one was shown for a while.
async function refresh() {
  if (isRefreshing) {
    isOutOfDate = true;
    return;
  }
  isRefreshing = true;
  do {
    isOutOfDate = false;
    const start = performance.now();
    const question = questions;
    try {
      await loadClasses();
      if (performance.now() > nextSizes) loadSizes();
      if (!shown.view) await table.refresh();
      else isTableStale = true;
      if (shown.object) detail.refresh();
    } catch (error) {
      if (error.code !== "gone") fail(error);
    }
    const took = question === questions ? performance.now() - start : 0;
    await new Promise((resolve) => {
      endPause = resolve;
      setTimeout(resolve, Math.max(200, 3 * took));
    });
  } while (isOutOfDate);
  isRefreshing = false;
}

function drawLive(newest = version) {
  element("live").textContent = frozen
    ? `frozen at version ${grouped(version)}`
      + (newest > version ? `, ${grouped(newest - version)} behind` : "")
    : `version ${grouped(version)}`;
}

function setFrozen(value) {
  frozen = value;
  for (const id of ["add", "import-open"]) element(id).disabled = value;
  element("freeze").setAttribute("aria-pressed", value);
  element("freeze").textContent = value ? "Follow again" : "Freeze here";
  if (version !== null) drawLive();
}

element("freeze").addEventListener("click", () => {
  if (frozen) {
    setFrozen(false);
    live.follow(shown.file);
  } else {
    setFrozen(true);
    live.freeze(version);
  }
});

// MARK: Messages

let isBannerOfChange = false;

function showBanner(text, action = null, run = null) {
  isBannerOfChange = false;
  element("banner").hidden = !text;
  element("banner-text").textContent = text ?? "";
  const button = element("banner-button");
  button.hidden = !action;
  button.textContent = action ?? "";
  button.onclick = run;
}

function fail(error) {
  if (error.code === "gone" || error.name === "AbortError") return;
  showBanner(error.message);
}

function say(text) {
  const status = element("answer");
  status.ariaLive = "polite";
  status.textContent = text;
  delete status.dataset.text;
}

// MARK: Keys

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.closest?.("input, select, textarea, dialog");
  if (event.key === "/" && !isTyping) {
    event.preventDefault();
    query.input.focus();
  }
  if ((event.ctrlKey || event.metaKey) && !event.altKey && !isTyping) {
    const key = event.key.toLowerCase();
    const isRedo = key === "y" || key === "z" && event.shiftKey;
    if (!isRedo && key !== "z") return;
    event.preventDefault();
    if (isRedo) editor.redo();
    else editor.undo();
  }
});

try {
  await Promise.all([loadFiles(), results.load()]);
  element("show-results").hidden = !results.runs;
  shown = {};
  if (files.length === 0) {
    // There is nothing but runs.
    for (const id of ["file", "freeze", "show-inside", "show-diagram"]) element(id).hidden = true;
    if (!location.hash) history.replaceState(null, "", "#view=results");
  }
  await apply();
} catch (error) {
  fail(error);
}
