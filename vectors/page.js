/*
 * The scripts of the page "Calibrate your scores here" by the test vectors: node vectors/page.js
 */
"use strict";

const { readFileSync } = require("fs");
const judge = require("./run.js");

const NAMES = ["draws", "special", "fitting", "measures", "spline", "maps"];
const folder = `${__dirname}/../book/_static/calibrate`;
const text = NAMES.map((name) => readFileSync(`${folder}/${name}.js`, "utf8")).join("\n");
const made = NAMES.map((name) => `const ${name} = ${name}Module();`).join("\n");
const { measures, maps } = new Function(`${text}\n${made}\nreturn { measures, maps };`)();

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
/* The functions of the page know no weights, and want typed arrays. */
const sample = (f) => ({ labels, probabilities, scores, weights, ...rest }) =>
  weights ? undefined : f(Uint8Array.from(labels), Float64Array.from(probabilities ?? scores), rest);
const tied = (f) => sample((labels, p) => f(measures.groupTies(p, labels)));
const fitted = (name) => sample((labels, scores, { scale, new_scores: given }) => {
  if (scale === "score") return undefined; // the page fits Platt's line to log-odds
  const map = maps.functionOf(maps.METHODS[name].fit(scores, labels));
  return (given ?? Array.from(scores)).map(map);
});
const line = (...names) => sample((labels, scores) => {
  const found = measures.recalibration({ scores, labels });
  if (found.reason) throw new Error(found.reason);
  return names.map((name) => found[name].value);
});

judge({
  brier: sample((labels, p) => mean(measures.squares(labels, p))),
  log_loss: sample((labels, p) => mean(measures.logLosses(labels, p))),
  auc: tied((ties) => measures.areaUnderCurve(ties).value ?? NaN),
  kuiper: tied((ties) => measures.kuiperInterval(ties, 0).value),
  corp: sample((labels, p, { loss }) => {
    if (loss !== "brier") return undefined;
    const parts = measures.decomposition(measures.groupTies(p, labels));
    return [parts.miscalibration, parts.discrimination, parts.uncertainty];
  }),
  isotonic: sample((labels, scores) => {
    const ties = measures.groupTies(scores, labels);
    const values = measures.corp(ties);
    return Array.from(scores, (score) => values[measures.countBelow(ties.scores, score)]);
  }),
  spiegelhalter_z: tied((ties) => measures.spiegelhalter(ties).statistic),
  spiegelhalter_p: tied((ties) => measures.spiegelhalter(ties).pValue),
  slope_intercept: line("slope", "intercept"),
  in_the_large: sample((labels, scores) => measures.inTheLarge({ scores, labels })),
  platt: fitted("Platt on logits"),
  temperature: fitted("Temperature"),
  beta: fitted("Beta"),
  venn_abers: fitted("Venn-Abers"),
}, `${__dirname}/../calibkit/testing/calibration-1.json`);
