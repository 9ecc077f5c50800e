// Designs taken elsewhere: as JSON, as CSV, or as the command that verifies them; copied, or saved as a file.
import { button, element, printable } from "./text.js";

// Cells that a spreadsheet would compute, or take for one that was escaped.
const FORMULA = /^'*(?:[\t\r]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/;

export function asJson(model, chosen) {
  const named = (names, values) => values && Object.fromEntries(names.map((name, i) => [name, values[i]]));
  const outputs = model.columns.filter(({ output }) => output !== null).map(({ name }) => name);
  const parameters = model.columns.filter(({ parameter }) => parameter !== null).map(({ name }) => name);
  const content = chosen.map((i) => model.designs[i]).map((design) => ({
    id: design.id,
    state: design.state,
    parameters: named(parameters, design.parameters),
    predicted: named(outputs, design.predicted),
    uncertainty: named(outputs, design.uncertainty),
    interval: named(outputs, design.low.map((low, j) => [low, design.high[j]])),
    measured: named(outputs, design.measured),
    ...(design.errors ? { errors: named(outputs, design.errors) } : {}),
    feasibility: design.feasibility,
  }));
  return `${JSON.stringify(content.length === 1 ? content[0] : content, null, 1)}\n`;
}

export function asCsv(model, chosen) {
  const outputs = model.columns.filter(({ output }) => output !== null);
  const parameters = model.columns.filter(({ parameter }) => parameter !== null);
  const parts = ["predicted", "uncertainty", "measured", ...(model.designs.some(({ errors }) => errors) ? ["errors"] : [])];
  const titles = ["id", "state", ...parameters.map(({ name }) => name), ...parts.flatMap((part) => outputs.map(({ name }) => `${part === "errors" ? "error" : part}.${name}`))];
  const rows = chosen.map((i) => model.designs[i]).map((design) =>
    [design.id, design.state, ...design.parameters, ...parts.flatMap((part) => outputs.map(({ output }) => design[part]?.[output] ?? ""))]);
  return csvText([titles, ...rows]);
}

export function csvText(rows) {
  return rows.map((row) => `${row.map(csvCell).join(",")}\n`).join("");
}

function csvCell(value) {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = String(value);
  const harmless = printable(FORMULA.test(text) ? `'${text}` : text);
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

export function asCommand(model, chosen) {
  const { before, between, after } = model.content.verify;
  return before + chosen.map((i) => model.designs[i].id).join(between) + after;
}

/** Buttons that take the designs that are chosen when one is pressed. */
export function takingButtons(model, chosen, name, withCommand = true) {
  const told = element("span", { className: "taken", role: "status" });
  const copy = (what, text) => button(`Copy ${what}`, async () => {
    told.textContent = (await copied(text())) ? `${what} copied` : "Copying is refused here; save it instead.";
  });
  const kinds = [["JSON", "json", "application/json", asJson], ["CSV", "csv", "text/csv", asCsv]];
  const copies = kinds.map(([what, , , make]) => copy(what, () => make(model, chosen())));
  const saves = kinds.map(([what, ending, type, make]) => button(`Save ${what}`, () => {
    save(`${name()}.${ending}`, type, make(model, chosen()));
    told.textContent = `${what} saved`;
  }));
  const command = withCommand ? [copy("command", () => asCommand(model, chosen()))] : [];
  return element("div", { className: "taking" }, ...command, ...copies, ...saves, told);
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch { // no clipboard where the page is not from this machine
    const field = element("textarea", { className: "unseen" });
    field.value = text;
    document.body.append(field);
    field.select();
    const isDone = document.execCommand("copy");
    field.remove();
    return isDone;
  }
}

export function save(name, type, text) {
  const link = element("a", { download: name });
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
