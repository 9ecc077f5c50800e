// The decision and the trade-off navigator: every part shows the same designs, the same choice and the same limits.
import { element } from "./text.js";
import { Model, strongestTradeOffs } from "./model.js";
import { Plane } from "./plane.js";
import { Parallel } from "./parallel.js";
import { Sliders } from "./sliders.js";
import { Chosen, Comparing } from "./chosen.js";
import { DesignTable } from "./designtable.js";
import { Beginning, budgetBar, verdictCards } from "./decision.js";

const N_PAIRS = 4;
const MOST_IN_PLANE = 3; // objectives of a front that is drawn as points
const PLANE_HEIGHT = 400; // pixels
const PAIR_HEIGHT = 230;

export class TradeOffs {
  /** Two places: one for what is to be seen first, one for the rest; and what tells why a design is as it is, if any. */
  constructor(first, rest, onWhy = null) {
    Object.assign(this, { first, rest, onWhy, model: null, charts: [] });
  }

  /** Verdict and budget alone, while there is no front yet. */
  showVerdict(content) {
    const place = this.first.querySelector(".verdict-place");
    if (place) place.replaceChildren(...verdictCards(content), budgetBar(content.budget));
    else this.first.replaceChildren(element("div", { className: "verdict-place" }, ...verdictCards(content), budgetBar(content.budget)));
  }

  show(content) {
    const model = new Model(content);
    if (this.model) model.take(this.model);
    this.model = model;
    for (const chart of this.charts) chart.remove();
    this.first.replaceChildren(element("div", { className: "verdict-place" }, ...verdictCards(content), budgetBar(content.budget)));
    this.rest.replaceChildren();
    this.charts = [];
    if (!model.designs.length) return;
    const parts = [...this.decision(model), ...this.choosing(model)];
    model.onChange(() => parts.forEach((part) => part.update()));
  }

  /** On the left what to begin with and limits, on the right the front and the design that is chosen. */
  decision(model) {
    const places = madePlaces("begin", "limits", "front-chart", "chosen-design");
    const key = element("p", { className: `note key ${model.objectives.length > MOST_IN_PLANE ? "on-screen" : ""}`, text: keyWords(model) });
    const limits = panel("Limits", places.limits);
    limits.classList.add("limits-panel");
    this.first.append(element("div", { className: "choose" },
      element("div", {}, places.begin, limits),
      element("div", {}, panel(frontTitle(model), places["front-chart"], key), panel("The chosen design", places["chosen-design"]))));
    const front = frontChart(places["front-chart"], model);
    this.charts.push(front);
    return [new Beginning(places.begin, model), new Sliders(places.limits, model), front, new Chosen(places["chosen-design"], model, this.onWhy)];
  }

  choosing(model) {
    const places = madePlaces("pinned", "lines", "pairs", "every");
    const isMany = model.objectives.length > MOST_IN_PLANE;
    const others = isMany ? model.columns.filter(({ kind }) => kind !== "objective") : model.columns;
    const parts = [new Comparing(places.pinned, model)];
    places.pinned.classList.add("panel");
    this.rest.append(places.pinned);
    if (others.length > 1) {
      this.rest.append(panel(isMany ? "Their parameters" : "Objectives and parameters", places.lines,
        element("p", { className: "note", text: "A line is a design. Draw along an axis to limit it, press it to lift the limit; of objectives the better is above." })));
      parts.push(new Parallel(places.lines, model, others));
      this.charts.push(parts.at(-1));
    }
    if (isMany) {
      this.rest.append(panel("The pairs that trade off most", places.pairs));
      for (const { x, y } of strongestTradeOffs(model, N_PAIRS)) {
        parts.push(new Plane(places.pairs.appendChild(element("div")), model, { x, y, height: PAIR_HEIGHT, hasBars: false }));
        this.charts.push(parts.at(-1));
      }
    }
    this.rest.append(panel("Every design", places.every));
    this.table = new DesignTable(places.every, model);
    return [...parts, this.table];
  }

  /** For paper that is so many pixels wide, until `afterPrint`. */
  beforePrint(width) {
    for (const chart of this.charts) chart.draw(chart.place.parentElement.matches(".pairs") ? width / 2 : width);
    if (this.charts.length) this.table.putOnPaper(width);
  }

  afterPrint() {
    for (const chart of this.charts) chart.draw();
    if (this.charts.length) this.table.takeOffPaper();
  }
}

function madePlaces(...names) {
  return Object.fromEntries(names.map((name) => [name, element("div", { className: name })]));
}

function panel(title, ...content) {
  return element("div", { className: "panel" }, element("h3", { text: title }), ...content);
}

function frontChart(place, model) {
  const [x, y, colour] = model.objectives;
  if (model.objectives.length === 1) return new Plane(place, model, { x: model.columns.find(({ parameter, choices }) => parameter !== null && !choices) ?? x, y: x, height: PLANE_HEIGHT });
  if (model.objectives.length > MOST_IN_PLANE) return new Parallel(place, model, model.objectives, PLANE_HEIGHT);
  return new Plane(place, model, { x, y, colour: colour ?? null, height: PLANE_HEIGHT });
}

function frontTitle(model) {
  return model.objectives.length > MOST_IN_PLANE ? "The front: one line a design, the better the higher" : "The front at full accuracy";
}

function keyWords(model) {
  const states = new Set(model.designs.map(({ state }) => state));
  const shapes = { verified: "◆ measured at full accuracy", predicted: "● predicted", doubtful: "○ doubtful", earlier: "∘ recommended before" };
  if (model.objectives.length > MOST_IN_PLANE) return "Draw along an axis to limit it; press a line to choose it.";
  const third = model.objectives[2] ? `; colour: ${model.objectives[2].name}, orange is best` : "";
  const bars = [...states].some((state) => state !== "verified") ? "; bars hold nine of ten" : "";
  return `${Object.entries(shapes).filter(([state]) => states.has(state)).map(([, words]) => words).join(", ")}${bars}${third}`;
}
