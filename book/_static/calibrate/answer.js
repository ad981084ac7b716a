/*
 * What the worker does: it gets requests and answers with plain data. `workerSource()` is the text
 * of the whole worker: from disk a browser starts none from a file, but one from a text.
 */
"use strict";

const answerModule = () => {
  /* Which points of step functions begin or end a flat piece: the others change no picture. */
  function corners(at, ...lines) {
    const last = at.length - 1;
    const changes = (i) => lines.some((line) => line[i] !== line[i + 1]);
    const kept = Array.from(at.keys()).filter((i) => i === 0 || i === last || changes(i - 1) || changes(i));
    return [at, ...lines].map((line) => kept.map((i) => line[i]));
  }

  /* calib.report.measuring.curve_of. */
  function curveOf({ scores }, ties) {
    const band = measures.confidenceBand(ties);
    const [predicted, recalibrated] = corners(ties.scores, measures.corp(ties));
    const [bandAt, lower, upper] = corners(ties.scores, band.lower, band.upper);
    const histogram = new Array(25).fill(0);
    for (const p of scores) histogram[Math.min(Math.floor(p * 25), 24)] += 1;
    return {
      predicted, recalibrated, bandAt, lower, upper, histogram,
      holdsDiagonal: band.holdsDiagonal, crosses: band.crosses,
    };
  }

  /* Names of the columns of a text, to choose from. */
  function columns({ bytes, name, form }) {
    const text = reading.decoded(bytes, name, form.encoding);
    const table = reading.tableOf(text, name, form);
    return { names: table.names, title: table.title, first: table.rows.slice(0, 3) };
  }

  function report({ bytes, name, form }) {
    const text = reading.decoded(bytes, name, form.encoding);
    const read = reading.readScores(text, name, form);
    const { ties, ...judged } = verdict.judge(read);
    const curve = judged.data.probabilities ? curveOf(read, ties) : null;
    return { ...judged, curve, notes: read.notes, names: read.names };
  }

  return { columns, report };
};

const workerSource = () => {
  const modules = {
    draws: drawsModule, special: specialModule, fitting: fittingModule, measures: measuresModule,
    verdict: verdictModule, reading: readingModule, answers: answerModule,
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
