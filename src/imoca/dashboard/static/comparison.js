// Several studies in one figure. The server needs time for it, so it is asked again while something is missing.
import { getJson } from "./api.js";
import { draw } from "./figures.js";
import { element, printable } from "./navigator/text.js";

const AGAIN = 2000; // milliseconds

export class Comparison {
  constructor() {
    this.section = document.getElementById("comparison");
    this.choices = document.getElementById("compared");
    this.note = document.getElementById("comparison-note");
    this.canvas = document.getElementById("comparison-plot");
    this.chosen = new Set();
    this.last = null;
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.last && draw(this.canvas, this.last));
  }

  /** Offer the studies that have the objectives of the one that is shown. */
  offer(studies, current) {
    const key = (study) => JSON.stringify(study.objectives);
    const alike = current?.fault === null ? studies.filter((study) => study.fault === null && key(study) === key(current)) : [];
    this.section.hidden = alike.length < 2;
    this.chosen = new Set(alike.map(({ id }) => id).filter((id) => this.chosen.has(id)));
    this.choices.replaceChildren(this.choices.querySelector("legend"), ...alike.map((study) => this.choice(study)));
    this.ask();
  }

  choice(study) {
    const box = element("input", { type: "checkbox" });
    box.checked = this.chosen.has(study.id);
    box.addEventListener("change", () => {
      if (box.checked) this.chosen.add(study.id);
      else this.chosen.delete(study.id);
      this.ask();
    });
    return element("label", {}, box, element("span", { text: study.name, title: printable(study.path) }));
  }

  async ask() {
    clearTimeout(this.timer);
    if (this.chosen.size < 2) {
      this.note.textContent = "Choose two or more.";
      this.canvas.replaceChildren();
      this.last = null;
      return;
    }
    const asked = [...this.chosen];
    const isStill = () => asked.join() === [...this.chosen].join();
    try {
      const answer = await getJson("/api/comparison", asked.map((id) => ["study", id]));
      if (!isStill()) return;
      const parts = [answer.pending.length && `being computed: ${answer.pending.join(", ")}`, ...answer.faults];
      this.note.textContent = printable(parts.filter(Boolean).join("; "));
      if (answer.figure && JSON.stringify(answer.figure) !== JSON.stringify(this.last)) {
        this.last = answer.figure;
        await draw(this.canvas, answer.figure);
      }
    } catch (error) {
      this.note.textContent = error.message;
    }
    if (isStill()) this.timer = setTimeout(() => this.ask(), AGAIN);
  }
}
