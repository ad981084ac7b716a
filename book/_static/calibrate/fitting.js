/*
 * Newton's method for logistic regression on a few columns, step for step as in
 * calib.kernels.logistic and calib.kernels.newton: where classes are separated, the end depends on
 * the way. Needs special.
 */
"use strict";

const fittingModule = () => {
  const LEAST_SHARE = 1e-12;
  const CERTAIN = 2 ** -53; // a mean log loss that rounding cannot tell from 0

  /* `misses` are what the targets of negatives and positives leave to the other class. */
  const sampleOf = (columns, labels, misses) => ({ columns, labels, misses });

  /* calib.kernels.logistic.derivatives: loss, gradient and lower triangle of the Hessian of the
     cross entropy; the level first. Of two columns at most, which are written out: this loop takes
     most of the time. */
  function derivatives({ columns, labels, misses }, slopes, level, centres) {
    const n = labels.length;
    const size = columns.length + 1;
    const none = size < 3 ? new Float64Array(n) : null;
    const [first, second] = [columns[0] ?? none, columns[1] ?? none];
    const [a, b] = [slopes[0] ?? 0, slopes[1] ?? 0];
    const [from, origin] = [centres[0] ?? 0, centres[1] ?? 0];
    let [loss, lost] = [0, 0]; // the latter by rounding (Kahan): small steps are judged by it
    let [g0, g1, g2] = [0, 0, 0];
    let [h00, h10, h11, h20, h21, h22] = [0, 0, 0, 0, 0, 0];
    for (let i = 0; i < n; i++) {
      const x = first[i] - from;
      const y = second[i] - origin;
      const odds = level + a * x + b * y;
      const positive = labels[i] === 1;
      const miss = positive ? misses[1] : misses[0];
      const margin = positive ? odds : -odds;
      const e = Math.exp(-Math.abs(margin));
      const both = 1 + e;
      const larger = 1 / both;
      const wrong = margin >= 0 ? e * larger : larger;
      const softplus = both > 1 ? Math.log(both) * (e / (both - 1)) : e;
      const term = miss * margin + (margin < 0 ? -margin : 0) + softplus - lost;
      const next = loss + term;
      lost = next - loss - term;
      loss = next;
      const residual = positive ? miss - wrong : wrong - miss;
      const curvature = e * larger * larger;
      const atX = curvature * x;
      const atY = curvature * y;
      g0 += residual;
      g1 += residual * x;
      g2 += residual * y;
      h00 += curvature;
      h10 += atX;
      h11 += atX * x;
      h20 += atY;
      h21 += atY * x;
      h22 += atY * y;
    }
    const lower = [[h00, 0, 0], [h10, h11, 0], [h20, h21, h22]];
    const hessian = lower.slice(0, size).flatMap((row) => row.slice(0, size));
    return {
      loss,
      gradient: Float64Array.of(g0, g1, g2).slice(0, size),
      hessian: Float64Array.from(hessian),
    };
  }

  /* calib.kernels.newton.newton; `start` is the level and the slopes. */
  function newton(sample, start, { freeLevel = true, enough = 0 } = {}) {
    const size = start.length;
    let slopes = start.slice(1);
    let level = start[0];
    let centres = new Float64Array(size - 1);
    let state = derivatives(sample, slopes, level, centres);
    let step = new Float64Array(size);
    const atZero = () => slopes.reduce((sum, slope, j) => sum - slope * centres[j], level);
    let nSteps = 0;
    for (nSteps = 1; nSteps <= 1000; nSteps++) {
      if (freeLevel) {
        const { hessian } = state;
        const shifts = centres.map((_, j) => {
          const shift = hessian[(j + 1) * size] / hessian[0];
          const spread = Math.sqrt(hessian[(j + 1) * size + j + 1] / hessian[0]);
          return Math.abs(shift) > 0.5 * spread ? shift : 0;
        });
        if (shifts.some((shift) => shift !== 0)) {
          level += slopes.reduce((sum, slope, j) => sum + slope * shifts[j], 0);
          centres = centres.map((centre, j) => centre + shifts[j]);
          state = derivatives(sample, slopes, level, centres);
        }
      }
      const { loss } = state;
      const first = freeLevel ? 0 : 1;
      const diagonal = start.map((_, j) => state.hessian[j * size + j]);
      const flat = !diagonal.slice(first).some((value) => value !== 0);
      if (flat && state.gradient.slice(first).some((value) => value !== 0)) break;
      const { full, decrement } = newtonStep(state, first, diagonal);
      const acceptable = loss + 1e-12 * loss;
      step = full;
      const tried = () => {
        const place = slopes.map((slope, j) => slope + step[j + 1]);
        return derivatives(sample, place, level + step[0], centres);
      };
      let trial = tried();
      let share = 1;
      while (trial.loss > acceptable && share > 1e-10) {
        share *= 0.5;
        step = full.map((value) => share * value);
        trial = tried();
      }
      if (!(trial.loss <= acceptable)) break;
      slopes = slopes.map((slope, j) => slope + step[j + 1]);
      level += step[0];
      state = trial;
      if (decrement <= 1e-14 * loss || trial.loss <= enough) {
        return { level: atZero(), slopes, loss: trial.loss, last: step };
      }
    }
    return { level: atZero(), slopes, loss: state.loss, last: step };
  }

  /* calib.kernels.logistic._newton_step: the step by Cholesky's method without roots, and how much
     it should gain, twice. */
  function newtonStep(state, first, diagonal) {
    const size = diagonal.length;
    const gradient = state.gradient.slice();
    const h = state.hessian.slice();
    const at = (i, j) => i * size + j;
    const explained = (j) => !(h[at(j, j)] > LEAST_SHARE * diagonal[j]);
    const full = new Float64Array(size);
    let decrement = 0;
    for (let j = first; j < size; j++) {
      for (let i = j + 1; i < size; i++) {
        const below = h[at(i, j)];
        h[at(j, i)] = explained(j) ? 0 : below / h[at(j, j)];
        gradient[i] -= h[at(j, i)] * gradient[j];
        for (let m = j + 1; m <= i; m++) h[at(i, m)] -= h[at(j, m)] * below;
      }
    }
    for (let j = size - 1; j >= first; j--) {
      const curvature = Math.max(h[at(j, j)], (gradient[j] * gradient[j]) / state.loss);
      if (!explained(j)) full[j] = -gradient[j] / curvature;
      decrement -= gradient[j] * full[j];
      for (let i = j + 1; i < size; i++) full[j] -= h[at(j, i)] * full[i];
    }
    return { full, decrement };
  }

  /* calib.kernels.logistic.LogisticFit.moves: whether the last step was no small one: then the fit
     was not near an optimum. */
  function moves(fit, reach) {
    const size = (values) => Math.abs(values[0]) +
      reach.reduce((sum, r, j) => sum + Math.abs(values[j + 1]) * r, 0);
    return size(fit.last) > Math.max(0.5, 1e-4 * size([fit.level, ...fit.slopes]));
  }

  /* calib.methods.logistic_fit.likeliest. */
  function likeliest(columns, labels) {
    const positive = labels.reduce((sum, label) => sum + label, 0);
    const start = new Float64Array(columns.length + 1);
    if (0 < positive && positive < labels.length) {
      start[0] = Math.log(positive / (labels.length - positive));
    }
    const enough = CERTAIN * labels.length;
    return newton(sampleOf(columns, labels, [0, 0]), start, { enough });
  }

  /* calib.methods.logistic_fit.likeliest_slope: on values in [-1, 1], without a level. */
  function likeliestSlope(values, labels) {
    const enough = CERTAIN * labels.length;
    const fit = (unit, slope) => {
      const column = values.map((value) => unit * value);
      const sample = sampleOf([column], labels, [0, 0]);
      const found = newton(sample, Float64Array.of(0, slope), { freeLevel: false, enough });
      const scaled = (list) => list.map((value) => unit * value);
      return { ...found, slopes: scaled(found.slopes), last: scaled(found.last) };
    };
    const found = fit(1, 0);
    if (found.slopes[0] <= 0 || !moves(found, [1])) return found;
    const sample = sampleOf([values], labels, [0, 0]);
    let [low, high] = [0, 1023];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      const at = derivatives(sample, Float64Array.of(2 ** middle), 0, new Float64Array(1));
      if (at.gradient[1] < 0 && at.loss > enough) low = middle;
      else high = middle;
    }
    return fit(2 ** low, 1);
  }

  return { sampleOf, newton, likeliest, likeliestSlope };
};
