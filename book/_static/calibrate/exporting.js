/*
 * A fitted map as what needs nothing of this page: the JSON of `calib fit`, JavaScript, SQL, as
 * calibkit.deployment.stored_maps and calibkit.deployment.programs write them. Needs special and maps.
 */
"use strict";

const exportingModule = () => {
  const LARGEST_EXPONENT = 700;
  const LEAST_ADDED = "1e-300"; // makes the reciprocal of a probability of 0 finite
  const { inside, expit, NEAREST } = special;
  const MOST = -special.logit(NEAREST);

  /* Numbers as text that keeps them floats. */
  const float = (value) => {
    const text = String(value);
    return text.includes("e") ? text : `${text}e0`;
  };
  const floats = (values) => Array.from(values, float);

  /* calibkit.deployment.stored_maps.StoredMap.dumps: what a file of `calib fit` holds. */
  function stored(map, { method, parameters }, fittedTo, version) {
    const document = {
      format: "calib-map", version: 1, map, method: { name: method, parameters },
      fitted_to: fittedTo, package: `calib ${version}`,
    };
    return `${JSON.stringify(document, null, 1)}\n`;
  }

  // JavaScript

  const INSIDE = "  const s = Math.min(Math.max(score, 2 ** -53), 1 - 2 ** -53);\n";
  const EXPIT = "  return 1 / (1 + Math.exp(-logit));\n";
  const SEARCH = `\
  let low = 0, high = scores.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (scores[middle] <= score) low = middle + 1; else high = middle;
  }
`;
  const SPLINE = `\
  const n = coefficients.length - 2, half = Math.min(Math.max(value, least), greatest) / 2;
  const place = n * ((half - low / 2) / (high / 2 - low / 2));
  const piece = Math.min(Math.max(Math.floor(place) + 1, 0), n + 1);
  const apart = place - Math.max(piece - 1, 0);
  const logit = coefficients[piece].reduceRight((sum, coefficient) => sum * apart + coefficient, 0);
  return Math.min(Math.max(1 / (1 + Math.exp(-logit)), 2 ** -53), 1 - 2 ** -53);
`;
  const FINITE = "  if (!Number.isFinite(score)) throw new RangeError(`no finite number: ${score}`);\n";
  const BODIES = {
    step: `${SEARCH}  return probabilities[low];\n`,
    linear: `${SEARCH}\
  if (low === 0) return probabilities[0];
  if (low === scores.length) return probabilities[low - 1];
  const left = probabilities[low - 1], right = probabilities[low];
  const gap = 0.5 * scores[low] - 0.5 * scores[low - 1];
  const share = gap > 0 ? (0.5 * score - 0.5 * scores[low - 1]) / gap : 0;
  const value = left + share * (right - left);
  return Math.min(Math.max(value, Math.min(left, right)), Math.max(left, right));
`,
    logit_polynomial: `${INSIDE}\
  const apart = Math.log(s / (1 - s)) - centre;
  const logit = coefficients.reduceRight((sum, coefficient) => sum * apart + coefficient, 0);
${EXPIT}`,
    beta: `${INSIDE}\
  const logit = level + a * Math.log(s / centre) - b * Math.log((1 - s) / (1 - centre));
${EXPIT}`,
    sigmoid: `  const logit = slope * score + intercept;\n${EXPIT}`,
    spline: `  const value = score;\n${SPLINE}`,
    logit_spline: `${INSIDE}  const value = Math.log(s / (1 - s));\n${SPLINE}`,
  };

  function javascript(map) {
    const within = (member) => {
      const lines = javascript(member).replaceAll("\n", "\n  ").trim();
      return `(() => {\n  ${lines}\n  return calibrate;\n})()`;
    };
    if (map.kind === "mirrored") {
      return `const mirrored = ${within(map.map)};\n\nfunction calibrate(score) {\n${FINITE}` +
        "  return mirrored(-score);\n}\n";
    }
    if (map.kind === "mixture") {
      const members = map.members.map((member) => `${within(member)},\n`);
      return `const weights = ${JSON.stringify(map.weights)};\n` +
        `const oddsFactor = ${JSON.stringify(map.odds_factor)};\n` +
        `const members = [\n${members.join("")}];\n\nfunction calibrate(score) {\n` +
        "  const average = members.reduce((sum, member, k) => sum + weights[k] * member(score), 0);\n" +
        "  return oddsFactor === 1 ? average : 1 / (1 + (1 / average - 1) / oddsFactor);\n}\n";
    }
    const names = Object.keys(map).filter((name) => name !== "kind");
    const declared = names.map((name) => `const ${name} = ${JSON.stringify(map[name])};\n`);
    return `${declared.join("")}\nfunction calibrate(score) {\n${FINITE}${BODIES[map.kind]}}\n`;
  }

  // SQL

  /* calibkit.deployment.programs._case. */
  function cases(branches, otherwise) {
    if (!branches.length) return `${otherwise}\n`;
    const lines = branches.map(([condition, value]) => `WHEN ${condition} THEN ${value}`);
    return `${["CASE", ...lines, `ELSE ${otherwise}`].join("\n  ")}\nEND\n`;
  }

  /* calibkit.deployment.programs._sql_logistic. */
  function logistic(logit, before) {
    const far = [
      [`${logit} > ${LARGEST_EXPONENT}`, "1.0"], [`${logit} < -${LARGEST_EXPONENT}`, "0.0"],
    ];
    return cases([...before, ...far], `1.0 / (1.0 + EXP(-(${logit})))`);
  }

  /* calibkit.deployment.programs._sql_ends: branches beyond both ends, where the map is constant. */
  function endsOf(map, score, [low, high]) {
    const f = maps.functionOf(map);
    return [
      [`${score} <= ${float(low)}`, float(f(low))], [`${score} >= ${float(high)}`, float(f(high))],
    ];
  }
  const INNER_ENDS = [NEAREST, 1 - NEAREST]; // where a score is kept, so that LN never sees 0

  const horner = (coefficients, place) => coefficients.slice(0, -1).reduceRight(
    (sum, c) => `(${float(c)} + ${place} * ${sum})`, float(coefficients.at(-1)));

  /* calibkit.deployment.programs._sql_pieces: a spline of `value`; where a piece begins is
     `scoreOf` the knot. */
  function piecewise(map, score, value, scoreOf) {
    const n = map.coefficients.length - 2;
    const [half, gap] = [map.low / 2, map.high / 2 - map.low / 2];
    const place = `${n}.0 * (0.5 * ${value} - ${float(half)}) / ${float(gap)}`;
    const pieces = map.coefficients.map((coefficients, j) => {
      const logit = horner(coefficients, `(${place} - ${Math.max(j - 1, 0)}.0)`);
      const far = [
        [`${logit} > ${float(MOST)}`, float(1 - NEAREST)],
        [`${logit} < ${float(-MOST)}`, float(NEAREST)],
      ];
      return cases(far, `1.0 / (1.0 + EXP(-${logit}))`).trim();
    });
    const knots = Array.from({ length: n + 1 }, (_, i) => scoreOf(2 * (half + (gap * i) / n)));
    return cases([
      ...endsOf(map, score, [map.least, map.greatest].map(scoreOf)),
      ...knots.map((cut, j) => [`${score} < ${float(cut)}`, pieces[j]]),
    ], pieces.at(-1));
  }

  const SQL = {
    step: ({ scores, probabilities }, score) => {
      const values = floats(probabilities);
      const below = floats(scores).map((cut, i) => [`${score} < ${cut}`, values[i]]);
      return cases(below, values.at(-1));
    },
    linear: ({ scores, probabilities }, score) => {
      const values = floats(probabilities);
      const pieces = scores.map((knot, i) => {
        if (i === 0) return values[0];
        const gap = 0.5 * knot - 0.5 * scores[i - 1];
        const rise = probabilities[i] - probabilities[i - 1];
        if (gap === 0 || rise === 0) return values[i - 1];
        const share = `(0.5 * ${score} - ${float(0.5 * scores[i - 1])}) / ${float(gap)}`;
        return `${values[i - 1]} + ${share} * ${float(rise)}`;
      });
      const below = floats(scores).map((knot, i) => [`${score} < ${knot}`, pieces[i]]);
      return cases(below, values.at(-1));
    },
    logit_polynomial: (map, score) => {
      const place = `(LN(${score} / (1.0 - ${score})) - ${float(map.centre)})`;
      return logistic(horner(map.coefficients, place), endsOf(map, score, INNER_ENDS));
    },
    beta: (map, score) => {
      const first = `${float(map.a)} * LN(${score} / ${float(map.centre)})`;
      const second = `${float(map.b)} * LN((1.0 - ${score}) / ${float(1 - map.centre)})`;
      return logistic(`(${float(map.level)} + ${first} - ${second})`, endsOf(map, score, INNER_ENDS));
    },
    sigmoid: ({ slope, intercept }, score) =>
      logistic(`(${float(slope)} * ${score} + ${float(intercept)})`, []),
    spline: (map, score) => piecewise(map, score, score, (value) => value),
    logit_spline: (map, score) => piecewise(
      map, score, `LN(${score} / (1.0 - ${score}))`,
      (odds) => inside(odds > 0 ? 1 - expit(-odds) : expit(odds))),
    mirrored: ({ map }, score) => SQL[map.kind](map, `(-${score})`),
    mixture: ({ weights, members, odds_factor: factor }, score) => {
      const parts = members.map((m, k) => `${float(weights[k])} * ${SQL[m.kind](m, score).trim()}`);
      const average = parts.join("\n+ ");
      if (factor === 1) return `${average}\n`;
      return `1.0 / (1.0 + (1.0 / (${LEAST_ADDED} + ${average}) - 1.0) / ${float(factor)})\n`;
    },
  };

  /* An expression of a column, always quoted: no name is a word of SQL then. */
  function sql(map, column) {
    const name = `"${column.replaceAll('"', '""')}"`;
    const value = SQL[map.kind](map, `CAST(${name} AS DOUBLE PRECISION)`);
    return `CASE WHEN ${name} - ${name} = 0 THEN CAST(\n${value}AS DOUBLE PRECISION) END\n`;
  }

  /* calibkit.deployment.programs.program: the map in a language, with a comment that says what it
     is. */
  function program(map, language, { method, fittedTo, version }) {
    const comment = language === "sql" ? "--" : "//";
    // a name of a file may hold anything: an end of line too
    const head = [
      `The probability of class 1, calibrated by calib ${version}.`,
      `${method}, fitted to ${fittedTo.rows} rows of ${fittedTo.file}`,
    ].map((line) => `${comment} ${JSON.stringify(line).slice(1, -1)}\n`);
    const body = language === "sql" ? sql(map, fittedTo.score) : javascript(map);
    return head.join("") + body;
  }

  return { stored, program };
};
