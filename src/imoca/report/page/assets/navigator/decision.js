// The verdict, designs to begin with, and the budget: what a reader sees first.
import { button, element, printable } from "./text.js";
import { badge } from "./chosen.js";

export function verdictCards(content) {
  const answers = content.verdict.map(({ question, word, why, level }) =>
    element("div", { className: `answer ${level}` }, element("h3", { text: question }), element("p", { className: "word", text: word }), element("p", { className: "why", text: why })));
  const command = content.next.command ? [element("code", { className: "command", text: content.next.command })] : [];
  const next = element("div", { className: "answer next" }, element("h3", { text: "What next?" }), element("p", { className: "why", text: content.next.what }), ...command);
  const warnings = content.warnings.map((text) => element("p", { className: "warning", text }));
  return [element("div", { className: "verdict" }, ...answers, next), ...warnings];
}

export function budgetBar({ spent, verification, total, words }) {
  const told = element("p", { className: "budget-words", text: words });
  if (spent === null || !total) return element("div", { className: "budget" }, told);
  const share = (cost) => `${Math.max(0, Math.min(100, (100 * cost) / Math.max(total, spent)))}%`;
  const [search, verified] = ["search", "verification"].map((name) => element("span", { className: name }));
  search.style.width = share(spent - (verification ?? 0));
  verified.style.width = share(verification ?? 0);
  const bar = element("div", { className: "budget-bar", role: "img", "aria-label": printable(words) }, search, verified);
  return element("div", { className: "budget" }, bar, told);
}

/** Cards of the designs to begin with; the chosen one is marked. */
export class Beginning {
  constructor(place, model) {
    this.model = model;
    this.cards = model.content.begin.map(({ design, reason }) => ({ design, card: this.card(model.designs[design], design, reason) }));
    const nothing = element("p", { className: "note", text: "No design can be recommended yet." });
    place.replaceChildren(element("h3", { text: "Designs to begin with" }), ...(this.cards.length ? this.cards.map(({ card }) => card) : [nothing]));
    this.update();
  }

  card(design, i, reason) {
    const made = button("", () => this.model.choose(i), { className: this.model.objectives.length > 4 ? "card many" : "card" });
    const values = this.model.objectives.map((column) =>
      element("span", { className: "value" }, element("span", { className: "value-name", text: column.name }), ` ${printable(column.words(design))}`));
    if (this.model.content.feasibility && !design.measured)
      values.push(element("span", { className: "value" }, element("span", { className: "value-name", text: "feasible with probability" }), ` ${design.feasibility.toFixed(2)}`));
    made.append(
      element("span", { className: "card-head" }, element("strong", { text: design.id }), badge(design.state), element("span", { className: "reason", text: reason })),
      element("span", { className: "card-values" }, ...values));
    return made;
  }

  update() {
    for (const { design, card } of this.cards) {
      card.classList.toggle("chosen", design === this.model.chosen);
      card.setAttribute("aria-pressed", String(design === this.model.chosen));
      card.classList.toggle("out", !this.model.fits[design]);
    }
  }
}
