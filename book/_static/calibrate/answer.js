/*
 * What the worker does: it gets requests and answers with plain data. `workerSource()` is the text
 * of the whole worker: from disk a browser starts none from a file, but one from a text.
 */
"use strict";

const answerModule = () => {
  const NOTABLE_EXCESS = 0.1; // share of the positives by which a sum is notably off
  const COLUMNS = 25; // of the histogram
  const RARE = 0.05; // share of a class below which the diagram has log-odds

  /* calibkit.report.measures.flat_ends: which points of step functions begin or end a flat piece:
     the others change no picture. */
  function corners(at, ...lines) {
    const last = at.length - 1;
    const changes = (i) => lines.some((line) => line[i] !== line[i + 1]);
    const kept = Array.from(at.keys()).filter((i) => i === 0 || i === last || changes(i - 1) || changes(i));
    return [at, ...lines].map((line) => kept.map((i) => line[i]));
  }

  /* calibkit.report.measures._histogram_edges: edges of the histogram, those of log-odds where one
     class is rare. */
  function edgesOf(scores, labels) {
    const share = measures.positivesOf(labels) / labels.length;
    const rare = Math.min(share, 1 - share);
    const within = Float64Array.from(scores).filter((p) => p > 0 && p < 1).sort();
    const logit = rare > 0 && rare < RARE && within.length > 0;
    const spaced = (low, high) => Array.from(
      { length: COLUMNS + 1 }, (_, i) => (i < COLUMNS ? low + i * ((high - low) / COLUMNS) : high));
    if (!logit) return { logit, edges: spaced(0, 1) };
    const quantile = (level) => {
      const place = level * (within.length - 1);
      const below = Math.floor(place);
      const above = Math.min(below + 1, within.length - 1);
      return within[below] + (place - below) * (within[above] - within[below]);
    };
    const ends = [quantile(0.001), quantile(0.999), share].map((p) => Math.log(p / (1 - p)));
    const odds = spaced(Math.min(...ends) - Math.LN2, Math.max(...ends) + Math.LN2);
    return { logit, edges: odds.map((value) => 1 / (1 + Math.exp(-value))) };
  }

  /* calibkit.report.measures.curve_of. */
  function curveOf({ scores, labels }, ties) {
    const band = measures.confidenceBand(ties);
    const [predicted, recalibrated] = corners(ties.scores, measures.corp(ties));
    const [bandAt, lower, upper] = corners(ties.scores, band.lower, band.upper);
    const { edges, logit } = edgesOf(scores, labels);
    const inner = edges.slice(1, -1);
    const histogram = new Array(COLUMNS).fill(0);
    for (const p of scores) {
      const column = inner.findIndex((edge) => p < edge);
      histogram[column < 0 ? COLUMNS - 1 : column] += 1;
    }
    return {
      predicted, recalibrated, bandAt, lower, upper, histogram, edges, logit,
      holdsDiagonal: band.holdsDiagonal, crosses: band.crosses,
    };
  }

  /* Names of the columns of a text, to choose from. */
  function columns({ bytes, name, form }) {
    const text = reading.decoded(bytes, name, form.encoding);
    const table = reading.tableOf(text, name, form);
    if (table.ragged) throw table.ragged;
    return { names: table.names, title: table.title, first: table.rows.slice(0, 3) };
  }

  let sample = null; // what `report` has read last

  function report({ bytes, name, form, command }) {
    const text = reading.decoded(bytes, name, form.encoding);
    const read = reading.readScores(text, name, form);
    const { ties, ...judged } = verdict.judge(read, command);
    const curve = judged.data.probabilities ? curveOf(read, ties) : null;
    sample = { ...read, name, form, maps: new Map() };
    return { ...judged, curve, notes: read.notes, names: read.names };
  }

  function compare({ names }) {
    const counts = [0, 0];
    for (const label of sample.labels) counts[label] += 1;
    const few = counts.findIndex((count) => count < 5);
    if (few >= 0) {
      throw new reading.InputError(
        `${counts[few]} rows with a label of class ${few} are too few for the 5 folds of a ` +
        "comparison: collect more");
    }
    return comparing.compare(sample, names);
  }

  /* The map of a method on all rows, as files, and its corners to be drawn. */
  function fit({ method, version }) {
    const map = comparing.mapOf(method, sample);
    const { name, form, names, scores, labels } = sample;
    const stacked = {
      method: "StackedCalibrator",
      parameters: { calibrators: null, centred: false, cv: 5, trust: 0.5 },
    };
    const kind = maps.METHODS[method] ?? stacked;
    const [lowest, highest] = scores.reduce(
      ([low, high], p) => [Math.min(low, p), Math.max(high, p)], [Infinity, -Infinity]);
    const probabilities = lowest >= 0 && highest <= 1;
    const reach = lowest < highest ? 0 : 1 + Math.abs(lowest) / 2;
    const [left, right] = probabilities ? [0, 1] : [lowest - reach, highest + reach];
    const fittedTo = {
      file: name, score: names.score, label: names.label, positive: form.positive || null,
      rows: labels.length, positives: measures.positivesOf(labels), total_weight: null,
      lowest_score: lowest, highest_score: highest,
    };
    const f = maps.functionOf(map);
    const about = { method: kind.method, fittedTo, version };
    return {
      files: {
        csv: calibratedTable(f),
        json: exporting.stored(map, kind, fittedTo, version),
        js: exporting.program(map, "javascript", about),
        sql: exporting.program(map, "sql", about),
      },
      notes: [...comparing.notesOf(method, sample), ...onSums(f, probabilities)],
      line: Array.from({ length: 201 }, (_, i) => (1 - i / 200) * left + (i / 200) * right)
        .map((score) => [score, f(score)]),
      diagonal: probabilities,
    };
  }

  /* calibkit.cli.remarks.on_map: a sentence if the sum of the probabilities is notably off. */
  function onSums(f, probabilities) {
    const positives = measures.positivesOf(sample.labels);
    const total = sample.scores.reduce((sum, score) => sum + f(score), 0);
    const excess = total / positives - 1;
    if (Math.abs(excess) <= NOTABLE_EXCESS) return [];
    const other = probabilities
      ? "the map Spline"
      : "StackedCalibrator(centred=True), in Python or on the command line";
    return [`on these rows the calibrated probabilities add up to ${special.general(total, 6)}, and ` +
      `${positives} are positive: ${special.fixed(100 * Math.abs(excess), 0)} % too ` +
      `${excess > 0 ? "many" : "few"}; for sums and means take ${other}`];
  }

  /* calibkit.cli.apply._write_text: the rows that were read, each with its probability. */
  function calibratedTable(f) {
    const { table, kept, scores, form } = sample;
    const marks = ['"', "\r", "\n", form.separator];
    const quoted = (text) => `"${text.replaceAll('"', '""')}"`;
    const cell = (text) => (marks.some((mark) => text.includes(mark)) ? quoted(text) : text);
    const lines = form.header ? [[...table.title, "calibrated"].map(cell).join(form.separator)] : [];
    let next = 0;
    table.rows.forEach((row, i) => {
      if (!kept[i]) return;
      const text = String(f(scores[next++]));
      const p = form.decimal === "," ? text.replace(".", ",") : text;
      lines.push([...row.map(cell), cell(p)].join(form.separator));
    });
    return `${lines.join("\n")}\n`;
  }

  return { columns, report, compare, fit, readings: offers.readings, values: offers.values };
};

const workerSource = () => {
  const modules = {
    draws: drawsModule, special: specialModule, fitting: fittingModule, measures: measuresModule,
    reading: readingModule, spline: splineModule, maps: mapsModule, comparing: comparingModule,
    verdict: verdictModule, exporting: exportingModule, offers: offersModule, answers: answerModule,
  };
  const listen = () => {
    self.onmessage = ({ data: { id, task, request } }) => {
      try {
        self.postMessage({ id, answer: answers[task](request) });
      } catch (error) {
        const known = error instanceof reading.InputError;
        self.postMessage({ id, error: known ? error.message : String(error.stack), known });
      }
    };
  };
  const definitions = Object.entries(modules).map(([name, part]) => `const ${name} = (${part})();`);
  return ['"use strict";', ...definitions, `(${listen})();`].join("\n");
};
