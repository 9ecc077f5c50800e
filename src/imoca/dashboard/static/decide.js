// The decision and the navigator of one study: verdict at once, designs when the front is computed.
import { getJson, studyPath } from "./api.js";
import { draw } from "./figures.js";
import { TradeOffs } from "./navigator/navigator.js";
import { button, printable } from "./navigator/text.js";

const PLACES = ["first", "rest"];

export class Decide {
  constructor() {
    [this.first, this.rest] = PLACES.map((id) => document.getElementById(id));
    this.note = document.getElementById("front-note");
    this.why = document.getElementById("why");
    this.show(null);
  }

  show(study) {
    this.study = study;
    this.stamps = {};
    this.text = null;
    for (const place of [this.first, this.rest]) place.replaceChildren();
    this.why.hidden = true;
    this.tradeOffs = new TradeOffs(this.first, this.rest, (design) => this.explain(design));
    this.note.hidden = false;
    this.note.textContent = "The front is being computed.";
  }

  /** Fetch what is newer on the server; today's front alone only until designs that were recommended before are known. */
  update(stamps) {
    const front = stamps.navigator ? "navigator" : "today";
    for (const [name, take] of [["verdict", (content) => this.takeVerdict(content)], [front, (content) => this.takeFront(content)]])
      if (stamps[name] && stamps[name] !== this.stamps[name]) this.fetch(name, stamps[name], take);
  }

  async fetch(name, stamp, take) {
    const study = this.study;
    const before = this.stamps[name];
    this.stamps[name] = stamp;
    try {
      const content = await getJson(`${studyPath(study)}/figures/${name}`);
      if (study === this.study) take(content);
    } catch (error) {
      this.stamps[name] = before;
      this.note.textContent = printable(error.message);
    }
  }

  /** Slices of the model through a design; the server needs a moment for them. */
  async explain({ id }) {
    const [title, reading, canvas] = ["#why-title", ".reading", ".canvas"].map((part) => this.why.querySelector(part));
    const study = this.study;
    this.why.hidden = false;
    title.textContent = `Why ${id} is as it is`;
    reading.textContent = "being computed";
    this.asked = id;
    try {
      const figure = await getJson(`${studyPath(study)}/slices/${encodeURIComponent(id)}`);
      if (study !== this.study || this.asked !== id) return;
      reading.textContent = printable(figure.reading);
      await draw(canvas, figure);
    } catch (error) {
      if (this.asked === id) reading.textContent = printable(error.message);
    }
    this.why.scrollIntoView({ block: "nearest" });
  }

  takeVerdict(content) {
    if (!content.fault) this.tradeOffs.showVerdict(content);
  }

  /** What a reader is about to use is not taken from under the hands: then a button offers the newer front. */
  takeFront(content) {
    this.note.hidden = !content.fault;
    this.note.textContent = printable(content.fault ?? "");
    const text = JSON.stringify([content.columns, content.designs, content.begin]);
    if (content.fault || text === this.text) return;
    const isUsed = this.text !== null && PLACES.some((id) => document.getElementById(id).contains(document.activeElement));
    const take = () => {
      this.text = text;
      this.note.hidden = true;
      this.tradeOffs.show(content);
    };
    if (!isUsed) take();
    else {
      this.note.hidden = false;
      this.note.replaceChildren("The front has changed. ", button("Show the new one", take));
    }
  }
}
