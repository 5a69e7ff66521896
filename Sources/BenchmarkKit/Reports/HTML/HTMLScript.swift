/// The script of a page: it sorts, searches, and shows notes. All text that it shows is that of
/// the page, as text.
enum HTMLScript {
    static let text = #"""
        "use strict";
        const all = selector => [...document.querySelectorAll(selector)];
        const order = new Intl.Collator("en", {numeric: true, sensitivity: "base"});

        // Sorting: the largest first, then the smallest, then the order of the run. A text among
        // figures, such as that of a failed row, counts as missing.
        const valueOf = (cell, hasFigures) =>
          hasFigures ? (cell.dataset.value === undefined ? null : Number(cell.dataset.value))
            : cell.textContent === "" ? null : cell.textContent;
        const compare = (a, b) =>
          typeof a === "number" && typeof b === "number" ? a - b
            : order.compare(String(a), String(b));
        const sort = (table, header) => {
          const headers = [...header.parentNode.children];
          const body = table.tBodies[0];
          const states = ["descending", "ascending", "none"];
          const rows = [...body.rows];
          const column = headers.indexOf(header);
          const hasFigures = rows.some(row => row.cells[column].dataset.value !== undefined);
          // Names are read from A on, figures from the largest on.
          if (!hasFigures) states.unshift(states.splice(1, 1)[0]);
          const now = header.getAttribute("aria-sort") || "none";
          const next = states[(states.indexOf(now) + 1) % 3];
          for (const other of headers) other.removeAttribute("aria-sort");
          if (next !== "none") header.setAttribute("aria-sort", next);
          table.classList.toggle("sorted", next !== "none");
          const sign = next === "ascending" ? 1 : -1;
          rows.sort((first, second) => {
            const before = first.dataset.place - second.dataset.place;
            if (next === "none") return before;
            const a = valueOf(first.cells[column], hasFigures);
            const b = valueOf(second.cells[column], hasFigures);
            // What is missing comes last in both directions.
            if (a === null || b === null) return (a === null) - (b === null) || before;
            return sign * compare(a, b) || before;
          });
          body.append(...rows);
        };
        for (const table of all("table")) {
          [...table.tBodies[0].rows].forEach((row, place) => { row.dataset.place = place; });
          for (const header of table.tHead.rows[0].cells) {
            const button = document.createElement("button");
            button.type = "button";
            button.append(...header.childNodes);
            header.append(button);
            // Of the whole cell, which is larger than the text of its button.
            header.addEventListener("click", () => sort(table, header));
          }
        }

        // Searching: rows and charts that have all words.
        const search = document.getElementById("search");
        const found = document.getElementById("found");
        const items = all("tbody tr, figure").map(item => ({
          item, text: [...item.querySelectorAll("td, text, title")]
            .map(part => part.textContent).join(" ").toLowerCase()}));
        const find = () => {
          const words = search.value.toLowerCase().split(/\s+/).filter(word => word);
          let rows = 0, charts = 0;
          for (const {item, text} of items) {
            item.hidden = !words.every(word => text.includes(word));
            if (item.hidden) continue;
            if (item.tagName === "TR") rows += 1; else charts += 1;
          }
          for (const section of all("section")) {
            const own = [...section.querySelectorAll("tbody tr, figure")];
            const isEmpty = own.length > 0 && own.every(item => item.hidden);
            section.hidden = isEmpty;
            const fold = section.querySelector("details");
            if (!fold) continue;
            if (words.length > 0 && !fold.open && !isEmpty) {
              fold.open = true;
              fold.dataset.opened = "";
            } else if (words.length === 0 && "opened" in fold.dataset) {
              fold.open = false;
              delete fold.dataset.opened;
            }
          }
          const counted = (count, name) => `${count} ${name}${count === 1 ? "" : "s"}`;
          found.textContent = words.length === 0 ? ""
            : rows + charts === 0 ? "Nothing has these words."
            : `${counted(rows, "row")}, ${counted(charts, "chart")}`;
        };
        search.addEventListener("input", find);
        document.querySelector(".tools").hidden = false;
        document.getElementById("all")?.addEventListener("change", event =>
          document.body.classList.toggle("all", event.target.checked));

        // Notes: what a column means, or what stands behind a cell.
        const note = document.createElement("div");
        note.id = "note";
        note.setAttribute("role", "tooltip");
        note.hidden = true;
        document.body.append(note);
        let owner = null;
        const show = event => {
          // Scrolling moves something else below the pointer; what has the focus keeps its note.
          owner = event.target.closest?.("[data-note]")
            ?? document.activeElement?.closest("[data-note]") ?? null;
          note.textContent = owner?.dataset.note ?? "";
          place();
        };
        const place = () => {
          note.hidden = !owner;
          if (!owner) return;
          const around = owner.getBoundingClientRect();
          const right = document.documentElement.clientWidth - note.offsetWidth - 8;
          note.style.left = `${Math.max(8, Math.min(around.left, right))}px`;
          const below = around.bottom + 6;
          note.style.top = below + note.offsetHeight < innerHeight
            ? `${below}px` : `${around.top - note.offsetHeight - 6}px`;
        };
        const hide = () => {
          owner = null;
          place();
        };
        document.addEventListener("mouseover", show);
        document.addEventListener("focusin", show);
        document.addEventListener("focusout", hide);
        document.addEventListener("keydown", event => {
          if (event.key === "Escape") hide();
        });
        addEventListener("scroll", place, true);

        // On paper nothing can be unfolded.
        let opened = [];
        addEventListener("beforeprint", () => {
          opened = all(".warnings:not([open]), #columns details:not([open])");
          for (const fold of opened) fold.open = true;
        });
        addEventListener("afterprint", () => {
          for (const fold of opened) fold.open = false;
        });

        """#
}
