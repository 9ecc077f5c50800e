// The table of trials: all rows in memory, one page of them on the screen.
import { conditionsOf } from "./navigator/conditions.js";
import { csvText, save } from "./navigator/taking.js";
import { element, labelled, printable, short } from "./navigator/text.js";

const PAGE = 25; // rows
const GROUPS = { trial: "", parameters: "parameters", fidelities: "fidelity", values: "values", costs: "cost, own units" };

export class TrialTable {
  constructor(onChoose) {
    this.onChoose = onChoose;
    this.find = (id) => document.getElementById(id);
    this.body = document.querySelector("#table tbody");
    this.head = document.querySelector("#table thead");
    this.reset([]);
    this.find("filters").addEventListener("submit", (event) => event.preventDefault());
    for (const id of ["contains", "state"]) this.find(id).addEventListener("input", () => this.turn(0));
    this.find("first").addEventListener("click", () => this.turn(0));
    this.find("previous").addEventListener("click", () => this.turn(this.page - 1));
    this.find("next").addEventListener("click", () => this.turn(this.page + 1));
    this.find("last").addEventListener("click", () => this.turn(Infinity));
    this.body.addEventListener("click", (event) => {
      const row = event.target.closest("tr");
      if (row) this.onChoose(Number(row.dataset.number));
    });
  }

  reset(columns) {
    this.columns = columns;
    this.rows = []; // by number
    this.page = 0;
    this.sorting = { column: 0, isDescending: true };
    this.chosen = null;
    this.shownColumns = [];
    this.headKey = null;
  }

  /** New or changed rows; the number of those that were not there before. */
  merge(rows) {
    const before = this.rows.length;
    for (const row of rows) this.rows[row[0]] = row;
    this.render();
    return this.rows.length - before;
  }

  /** Positions of the columns of a group, by their names. */
  positions(group) {
    return this.columns.flatMap((column, i) => (column.group === group ? [i] : []));
  }

  turn(page) {
    this.page = page;
    this.render();
  }

  sort(column) {
    const { column: last, isDescending } = this.sorting;
    this.sorting = { column, isDescending: column === last ? !isDescending : false };
    this.turn(0);
    this.head.querySelector(`[data-column="${column}"] button`)?.focus();
  }

  matching() {
    const { fault, isMet } = conditionsOf(this.find("contains").value, this.columns.map(({ name }) => (name === "number" ? "trial" : name)));
    this.find("filter-fault").textContent = printable(fault);
    const state = this.find("state").value;
    const isWanted = (row) => (!state || row[1] === state) && isMet(row);
    const { column, isDescending } = this.sorting;
    return this.rows.filter(isWanted).sort((one, other) => {
      const order = compare(one[column], other[column], isDescending);
      return order || other[0] - one[0];
    });
  }

  render() {
    const rows = this.matching();
    const nPages = Math.max(1, Math.ceil(rows.length / PAGE));
    this.page = Math.max(0, Math.min(this.page, nPages - 1));
    this.renderHead();
    this.renderBody(rows.slice(this.page * PAGE, (this.page + 1) * PAGE));
    this.find("count").textContent = rows.length === this.rows.length ? `${rows.length} trials` : `${rows.length} of ${this.rows.length} trials`;
    this.find("page").textContent = `Page ${this.page + 1} of ${nPages}`;
    for (const id of ["first", "previous"]) this.find(id).disabled = this.page === 0;
    for (const id of ["next", "last"]) this.find(id).disabled = this.page === nPages - 1;
  }

  /** Columns in which nothing stands are left out. */
  renderHead() {
    const isOptional = (column) => column.group === "costs" || column.name === "failures" || column.group === "fidelities";
    const shown = this.columns.flatMap((column, i) =>
      !isOptional(column) || this.rows.some((row) => row[i] !== null) ? [i] : []);
    const key = JSON.stringify([this.columns, shown, this.sorting]);
    if (key === this.headKey) return;
    this.headKey = key;
    this.shownColumns = shown;
    const groups = [];
    for (const i of shown) {
      const group = this.columns[i].group;
      if (groups.at(-1)?.group === group) groups.at(-1).span += 1;
      else groups.push({ group, span: 1 });
    }
    const groupRow = element("tr", { className: "groups" }, ...groups.map(({ group, span }) =>
      GROUPS[group] ? element("th", { text: GROUPS[group], colspan: span, scope: "colgroup" }) : element("td", { colspan: span })));
    this.head.replaceChildren(groupRow, element("tr", {}, ...shown.map((i) => this.heading(i))));
  }

  heading(i) {
    const { name: own, knob, unit } = this.columns[i];
    const name = own === "number" ? "trial" : labelled(knob ? `${own}.${knob}` : own, unit);
    const button = element("button", { type: "button", text: name, title: printable(name) });
    button.addEventListener("click", () => this.sort(i));
    const isSorted = this.sorting.column === i;
    const sort = isSorted ? (this.sorting.isDescending ? "descending" : "ascending") : "none";
    return element("th", { scope: "col", "aria-sort": sort, "data-column": i, className: this.isText(i) ? "words" : "" }, button);
  }

  isText(i) {
    return this.rows.some((row) => typeof row[i] === "string");
  }

  renderBody(rows) {
    const focused = this.body.contains(document.activeElement) ? document.activeElement.closest("tr").dataset.number : null;
    const texts = new Set(this.shownColumns.filter((i) => this.isText(i)));
    this.body.replaceChildren(...rows.map((row) => this.row(row, texts)));
    if (focused !== null) this.body.querySelector(`tr[data-number="${focused}"] button`)?.focus({ preventScroll: true });
  }

  row(row, texts) {
    const cells = this.shownColumns.map((i) => {
      if (i === 0) return element("td", {}, element("button", { type: "button", text: row[0], "aria-label": `Trial ${row[0]} in full` }));
      const text = i === 1 && row[1] === "running" && !this.isDriven ? "no answer yet" : short(row[i]);
      const cell = element("td", { text, className: texts.has(i) ? "words" : "" });
      if (typeof row[i] === "string" && row[i].length > 20) cell.title = printable(row[i]);
      if (i === 1) cell.classList.add(`state-${row[1]}`);
      return cell;
    });
    return element("tr", { "data-number": row[0], className: row[0] === this.chosen ? "chosen" : "" }, ...cells);
  }

  /** All trials that the filter leaves, as a file. */
  save(kind, name) {
    const rows = this.matching();
    if (kind === "csv") return save(`${name}.csv`, "text/csv", csvText([this.columns.map(columnTitle), ...rows]));
    const content = rows.map((row) => {
      const trial = { number: row[0], state: row[1], parameters: {}, fidelities: {}, values: {}, costs: {}, failures: row.at(-1) };
      for (const [i, { group, name: own, knob }] of this.columns.entries()) {
        if (group === "trial" || row[i] === null) continue;
        if (!knob) define(trial[group], own, row[i]);
        else define(Object.hasOwn(trial[group], own) ? trial[group][own] : define(trial[group], own, {}), knob, row[i]);
      }
      return trial;
    });
    return save(`${name}.json`, "application/json", `${JSON.stringify(content, null, 1)}\n`);
  }

  choose(number) {
    this.chosen = number;
    for (const row of this.body.rows) row.classList.toggle("chosen", Number(row.dataset.number) === number);
  }
}

/** As in the files of imoca export. */
function columnTitle({ group, name, knob }) {
  return ({ fidelities: "fidelity.", costs: "cost." }[group] ?? "") + name + (knob ? `.${knob}` : "");
}

/** A property of any name, also one that objects have anyway. */
function define(object, name, value) {
  Object.defineProperty(object, name, { value, enumerable: true });
  return value;
}

/** Numbers before text, what is absent always last. */
function compare(one, other, isDescending) {
  if (one === null || other === null) return (one === null) - (other === null);
  const sign = isDescending ? -1 : 1;
  if (typeof one === "number" && typeof other === "number") return sign * (one - other);
  if (typeof one !== typeof other) return sign * (typeof one === "number" ? -1 : 1);
  return sign * String(one).localeCompare(String(other));
}
