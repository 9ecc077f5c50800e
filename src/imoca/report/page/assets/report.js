"use strict";
(() => {
  const NARROW = 600; // pixels: a phone, where a finger that scrolls the page must not zoom a figure
  const content = JSON.parse(document.getElementById("figure-data").textContent);
  const dark = window.matchMedia("(prefers-color-scheme: dark)");

  function draw(isDark) {
    const isNarrow = window.innerWidth < NARROW;
    for (const [name, figure] of Object.entries(content.figures)) {
      const place = document.getElementById("plot-" + name);
      place.style.minWidth = figure.layout.meta.min_width + "px";
      const layout = { ...figure.layout, template: content.themes[isDark ? "dark" : "light"] };
      if (isNarrow) {
        layout.dragmode = layout.scene ? "orbit" : false;
      }
      const config = { displaylogo: false, responsive: true, displayModeBar: isNarrow ? false : "hover" };
      Plotly.react(place, figure.data, layout, config);
    }
  }

  function compare(a, b) {
    if (a === b) return 0;
    if (typeof a === "number" && typeof b === "number") {
      if (Number.isNaN(a)) return 1;
      if (Number.isNaN(b)) return -1;
      return a - b;
    }
    return String(a).localeCompare(String(b));
  }

  function keyOf(row, column) {
    const cell = row.cells[column];
    return "value" in cell.dataset ? Number(cell.dataset.value) : cell.textContent;
  }

  function sortBy(heading) {
    const column = heading.cellIndex;
    const body = heading.closest("table").tBodies[0];
    const direction = heading.getAttribute("aria-sort") === "ascending" ? -1 : 1;
    for (const other of heading.parentElement.cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", direction === 1 ? "ascending" : "descending");
    const rows = Array.from(body.rows, (row) => ({ row, key: keyOf(row, column) }));
    rows.sort((a, b) => {
      const isBlank = Number.isNaN(a.key) || Number.isNaN(b.key); // blanks stay last either way
      return isBlank ? compare(a.key, b.key) : direction * compare(a.key, b.key);
    });
    body.append(...rows.map((each) => each.row));
  }

  for (const heading of document.querySelectorAll("th[data-sortable]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    button.addEventListener("click", () => sortBy(heading));
    heading.append(button);
  }
  dark.addEventListener("change", () => draw(dark.matches));
  window.addEventListener("beforeprint", () => draw(false));
  window.addEventListener("afterprint", () => draw(dark.matches));
  draw(dark.matches);
})();
