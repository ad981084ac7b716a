/*
 * Judge functions of JavaScript by the test vectors: require("./run.js")({brier: (given) => ...}).
 * A function gets the input of a case as one object, and returns undefined where it offers nothing.
 */
"use strict";

const { readFileSync } = require("fs");

const flat = (answer) => [answer].flat(3).map(Number);
const numbers = ({ decimal }) => [decimal].flat(3).map((text) =>
  ({ undefined: NaN, infinity: Infinity, "-infinity": -Infinity }[text] ?? Number(text)));

function isAnswer(found, answer, tolerance) {
  const right = numbers(answer);
  if (right.some(Number.isNaN)) return typeof found === "string" || found.some(Number.isNaN);
  return typeof found !== "string" && found.length === right.length && found.every((number, i) =>
    number === right[i] || (Number.isFinite(right[i]) &&
      Math.abs(number - right[i]) <= tolerance * Math.max(1, Math.abs(right[i]))));
}

const words = ({ convention }) =>
  Object.entries(convention).map(([key, value]) => `${key}: ${value}`).join(", ");

module.exports = function judge(functions, file = `${__dirname}/calibration-1.json`) {
  for (const given of JSON.parse(readFileSync(file, "utf8")).cases) {
    const f = functions[given.function];
    let found;
    try {
      const answer = f?.(given.input);
      if (answer === undefined) continue;
      found = flat(answer);
    } catch (error) {
      found = error.message;
    }
    const fits = (answers) => answers.filter((answer) => isAnswer(found, answer, given.tolerance));
    const right = fits(given.answers).map(words).join(" | ");
    const [wrong] = fits(given.mistakes).map(({ mistake }) => ` (${mistake})`);
    const shown = typeof found === "string" ? "error" : found.join(" ");
    console.log([given.id, shown, right || `WRONG${wrong ?? " "}`].join("\t"));
  }
};
