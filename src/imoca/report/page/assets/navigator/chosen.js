// The chosen design in full, and the pinned ones side by side.
import { button, element, printable, short } from "./text.js";
import { takingButtons, asCommand } from "./taking.js";
import { MOST_PINS } from "./model.js";

const NOTABLE = 0.02; // of the range of a column, from which two designs differ in it

export class Chosen {
  constructor(place, model, onWhy) {
    Object.assign(this, { place, model, onWhy });
    this.update();
  }

  update() {
    const { model, place } = this;
    const key = `${model.chosen} ${model.pins} ${model.fits[model.chosen]}`;
    if (key === this.key) return;
    this.key = key;
    if (model.chosen === null) {
      place.replaceChildren(element("p", { className: "note", text: "No design yet." }));
      return;
    }
    const i = model.chosen;
    const design = model.designs[i];
    const isPinned = model.pins.includes(i);
    const pin = button(isPinned ? "Unpin" : "Pin to compare", () => model.togglePin(i), { "aria-pressed": isPinned, className: "pin-button" });
    pin.disabled = !isPinned && model.isFull;
    if (pin.disabled) pin.title = `${MOST_PINS} are pinned already`;
    const hadFocus = place.contains(document.activeElement) && document.activeElement.className;
    const head = element("div", { className: "chosen-head" }, element("strong", { text: design.id, className: "chosen-id" }), badge(design.state), ...(model.fits[i] ? [] : [element("span", { className: "badge outside", text: "outside your limits" })]), pin, ...(this.onWhy ? [button("Why this design", () => this.onWhy(design))] : []));
    const command = element("code", { className: "command", text: asCommand(model, [i]) });
    place.replaceChildren(head, ...this.values(design), command, takingButtons(model, () => [model.chosen], () => model.designs[model.chosen].id));
    if (hadFocus === "pin-button") place.querySelector(".pin-button").focus();
  }

  values(design) {
    const { model } = this;
    const outputs = model.columns.filter(({ output }) => output !== null).map((column) => {
      const interval = column.interval(design);
      const likely = interval ? [`90 %: ${short(interval[0])} to ${short(interval[1])}`] : [];
      return [column.name, column.words(design), [...(design.measured ? ["measured"] : []), ...likely].join(", ")];
    });
    if (model.content.feasibility) outputs.push(["feasible with probability", design.feasibility.toFixed(2), ""]);
    const parameters = model.columns.filter(({ parameter }) => parameter !== null).map((column) => [column.name, column.words(design), ""]);
    return [list("outputs", outputs), list("parameters", parameters)];
  }
}

export function badge(state) {
  return element("span", { className: `badge ${state}`, text: state });
}

function list(className, rows) {
  return element("dl", { className: `values ${className}` }, ...rows.map(([name, value, aside]) =>
    element("div", {}, element("dt", { text: name }), element("dd", { text: value }, ...(aside ? [element("small", { text: aside })] : [])))));
}

/** Two to four designs, a column each; the best of every objective and what differs are marked. */
export class Comparing {
  constructor(place, model) {
    Object.assign(this, { place, model });
    this.update();
  }

  update() {
    const { model, place } = this;
    const key = `${model.pins} ${model.chosen}`;
    if (key === this.key) return;
    this.key = key;
    place.hidden = !model.pins.length;
    if (place.hidden) return;
    const heads = model.pins.map((i, k) => element("th", { scope: "col", className: i === model.chosen ? "chosen" : "" },
      element("span", { className: "pin-number", text: k + 1 }), button(model.designs[i].id, () => model.choose(i)), badge(model.designs[i].state),
      button("×", () => model.togglePin(i), { "aria-label": `Unpin ${model.designs[i].id}`, className: "unpin" })));
    const table = element("table", { className: "compared" }, element("caption", { text: "Pinned designs" }),
      element("thead", {}, element("tr", {}, element("td"), ...heads)), element("tbody", {}, ...model.columns.map((column) => this.row(column))));
    const hint = model.pins.length < 2 ? [element("p", { className: "note", text: "Pin another one to compare." })] : [];
    place.replaceChildren(element("div", { className: "scroller", tabindex: 0, role: "region", "aria-label": "Pinned designs" }, table), ...hint,
      takingButtons(model, () => model.pins, () => "pinned"));
  }

  row(column) {
    const { model } = this;
    const designs = model.pins.map((i) => model.designs[i]);
    const merits = designs.map((design) => column.merit(design));
    const isDifferent = Math.max(...merits) - Math.min(...merits) > NOTABLE;
    const best = column.goal && isDifferent ? Math.max(...merits) : null;
    const cells = designs.map((design, k) => {
      const cell = element("td", { text: column.words(design), className: merits[k] === best ? "best" : "" });
      if (k > 0 && isDifferent && !column.choices) cell.append(element("small", { text: difference(column.number(design) - column.number(designs[0])) }));
      return cell;
    });
    return element("tr", { className: isDifferent ? `differs ${column.kind}` : column.kind }, element("th", { scope: "row", text: column.name, title: printable(column.name) }), ...cells);
  }
}

function difference(by) {
  return `${by > 0 ? "+" : "−"}${short(Math.abs(by))}`;
}
