// What is typed to filter a table: comparisons such as "x1 < 0, mass <= 12", and words that a row must contain.
import { printable, short } from "./text.js";

const OPERATORS = {
  "<=": (a, b) => a <= b,
  ">=": (a, b) => a >= b,
  "!=": (a, b) => a !== b,
  "<": (a, b) => a < b,
  ">": (a, b) => a > b,
  "=": (a, b) => a === b,
};

/** A test of rows, whose cells stand under these names; or what is wrong with the text. */
export function conditionsOf(text, names) {
  const tests = [];
  for (const clause of text.split(/,|\band\b|&&/).map((each) => each.trim()).filter(Boolean)) {
    const found = comparison(clause, names);
    if (found?.fault) return { fault: found.fault, isMet: () => true };
    tests.push(found?.isMet ?? containing(clause));
  }
  return { fault: "", isMet: (row) => tests.every((each) => each(row)) };
}

/** Null if it is no comparison. A name may itself hold an operator: every place where one stands is tried. */
function comparison(clause, names) {
  let fault = null;
  for (const found of clause.matchAll(/<=|>=|!=|<|>|=/g)) {
    const name = clause.slice(0, found.index).trim();
    const wanted = clause.slice(found.index + found[0].length).trim();
    const column = names.findIndex((each) => each.toLowerCase() === name.toLowerCase() || printable(each) === name);
    if (column >= 0 && wanted) return { isMet: compared(column, OPERATORS[found[0]], wanted) };
    fault ??= wanted ? `No column is called “${name}”.` : `Something is missing after “${clause}”.`;
  }
  return fault && { fault };
}

function compared(column, holds, wanted) {
  const number = Number(wanted);
  return (row) => {
    const cell = row[column];
    if (cell === null || cell === undefined) return false;
    return typeof cell === "number" && !Number.isNaN(number) ? holds(cell, number) : holds(String(cell), wanted);
  };
}

function containing(words) {
  const wanted = words.toLowerCase();
  return (row) => row.some((cell) => cell !== null && (String(cell).toLowerCase().includes(wanted) || short(cell).toLowerCase().includes(wanted)));
}
