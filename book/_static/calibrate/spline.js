/*
 * calib.SplineCalibrator on logits and on scores: the same curves, penalties and stopping rules. Needs
 * special.
 */
"use strict";

const splineModule = () => {
  const { logOdds } = special;
  const N_INTERVALS = 16;
  const SIZE = N_INTERVALS + 3;
  const CELLS = 64; // in an interval between knots
  const NO_SPREAD = 1e-9;
  const PENALTIES = [1e6, 1e4, 1e2, 1];
  const SPREADS = [0.25, 1, 4];
  const LEAST_ODDS = 0.01;
  const NEGLIGIBLE = 15;
  const FAR = 1e3;
  const RIDGE = 1e-13;
  const MANY = 5000;
  const SMALLEST_RADIUS = 1e-290;
  const LARGEST = Number.MAX_VALUE;
  const clip = (x, low, high) => Math.min(Math.max(x, low), high);

  // Matrices are lists of rows, as Float64Array.
  const zeros = (n, m = n) => Array.from({ length: n }, () => new Float64Array(m));
  const dot = (a, b) => {
    let sum = 0;
    for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
    return sum;
  };

  /* calib.methods.spline_basis.rows: first of four B-splines at a place in units of intervals, and
     their values. */
  function splinesAt(place) {
    const inner = clip(place, 0, N_INTERVALS);
    const beyond = place - inner;
    const first = Math.min(Math.floor(inner), N_INTERVALS - 1);
    const r = inner - first;
    const values = [
      (1 - r) ** 3, (3 * r - 6) * r ** 2 + 4, ((3 - 3 * r) * r + 3) * r + 1, r ** 3,
    ];
    const slopes = [-((1 - r) ** 2), (3 * r - 4) * r, (2 - 3 * r) * r + 1, r ** 2];
    return { first, basis: values.map((v, k) => v / 6 + (beyond * slopes[k]) / 2) };
  }

  /* calib.methods.spline_basis.dense_rows, of one place. */
  function denseRow(place) {
    const { first, basis } = splinesAt(place);
    const row = new Float64Array(SIZE);
    row.set(basis, first);
    return row;
  }

  /* calib.methods.spline_basis.pieces: the spline as polynomials, the line on the left, one for
     each interval, that on the right. */
  function pieces(coefficients) {
    const toPowers = [[1, 4, 1, 0], [-3, 0, 3, 0], [3, -6, 3, 0], [-1, 3, -3, 1]];
    const padded = [...coefficients, 0];
    const powers = Array.from({ length: N_INTERVALS + 1 }, (_, j) =>
      toPowers.map((row) => row.reduce((sum, c, a) => sum + (c / 6) * padded[j + a], 0)));
    powers[N_INTERVALS][2] = 0;
    powers[N_INTERVALS][3] = 0;
    return [[powers[0][0], powers[0][1], 0, 0], ...powers];
  }

  /* calib.methods.spline_basis.condensed: two nodes for each class and cell, with the moments of
     its rows up to the third. */
  function condensed(places, labels) {
    const sign = Math.sign;
    const cells = Int32Array.from(places, (place) => {
      const inner = clip(place, 0, N_INTERVALS);
      const beyond = place - inner;
      return Math.floor(CELLS * (inner + sign(beyond) * Math.log1p(Math.abs(beyond))));
    });
    const start = cells.reduce((a, b) => Math.min(a, b));
    const size = cells.reduce((a, b) => Math.max(a, b)) - start + 1;
    const [centres, widths] = [new Float64Array(size), new Float64Array(size)];
    for (let c = 0; c < size; c++) {
      const middle = (start + c + 0.5) / CELLS;
      const inner = clip(middle, 0, N_INTERVALS);
      const beyond = middle - inner;
      centres[c] = inner + sign(beyond) * Math.expm1(Math.abs(beyond));
      widths[c] = Math.exp(Math.abs(beyond)) / CELLS;
    }
    const moments = new Float64Array(2 * size * 4);
    for (let i = 0; i < places.length; i++) {
      const cell = cells[i] - start;
      const t = places[i] - centres[cell];
      const at = 4 * (labels[i] * size + cell);
      moments[at] += 1;
      moments[at + 1] += t;
      moments[at + 2] += t * t;
      moments[at + 3] += t * t * t;
    }
    const nodes = [];
    for (let label = 0; label < 2; label++) {
      for (let cell = 0; cell < size; cell++) {
        const at = 4 * (label * size + cell);
        const count = moments[at];
        if (count === 0) continue;
        const [mean, second, third] = [1, 2, 3].map((k) => moments[at + k] / count);
        const variance = Math.max(second - mean ** 2, 0);
        const spread = Math.sqrt(variance);
        let skew = 0;
        if (variance > NO_SPREAD * widths[cell] ** 2) {
          skew = (third - 3 * mean * second + 2 * mean ** 3) / spread ** 3;
        }
        const wide = Math.sqrt(skew ** 2 + 4);
        const ends = [(skew - wide) / 2, (skew + wide) / 2]; // their product is -1
        for (const k of [0, 1]) {
          const weight = (count * Math.abs(ends[1 - k])) / (ends[1] - ends[0]);
          nodes.push({ place: centres[cell] + mean + spread * ends[k], label, weight });
        }
      }
    }
    return nodes;
  }

  /* calib.methods.spline._Curve and its penalised loss; `ends` are the log-odds at the outer knots
     without data. */
  function curveOf(ends, places, labels) {
    const n = places.length;
    const mean = special.total(places) / n;
    const variance = special.total(places.map((place) => (place - mean) ** 2)) / n;
    const spread = Math.max(Math.sqrt(variance), 1);
    const sites = Float64Array.from({ length: SIZE }, (_, i) => (i - 1) / N_INTERVALS);
    const line = sites.map((site) => ends[0] + (ends[1] - ends[0]) * site);
    const bends = Array.from({ length: SIZE - 2 }, (_, i) => {
      const row = new Float64Array(SIZE);
      row.set([1, -2, 1], i);
      return row;
    });
    const [level, below, above] = [mean, mean - spread, mean + spread].map(denseRow);
    const tilts = [level, above.map((value, i) => (value - below[i]) / 2)];
    const nodes = n > MANY
      ? condensed(places, labels)
      : Array.from(places, (place, i) => ({ place, label: labels[i], weight: 1 }));
    const first = new Int32Array(nodes.length);
    const basis = new Float64Array(4 * nodes.length);
    nodes.forEach(({ place }, i) => {
      const at = splinesAt(place);
      first[i] = at.first;
      basis.set(at.basis, 4 * i);
    });
    const sample = {
      first, basis,
      labels: Uint8Array.from(nodes, (node) => node.label),
      weights: Float64Array.from(nodes, (node) => node.weight),
    };

    function priorOf([penalty, tau]) {
      const prior = zeros(SIZE);
      const add = (rows, factor) => rows.forEach((row) => {
        for (let a = 0; a < SIZE; a++) {
          if (row[a]) for (let b = 0; b < SIZE; b++) prior[a][b] += factor * row[a] * row[b];
        }
      });
      add(bends, penalty);
      add(tilts, 1 / tau ** 2);
      return prior;
    }

    function derivatives(coefficients, penalties, prior) {
      const state = losses(sample, coefficients);
      const [penalty, tau] = penalties;
      const apart = coefficients.map((c, i) => c - line[i]);
      const bent = bends.map((row) => dot(row, apart));
      const tilted = tilts.map((row) => dot(row, apart) / tau ** 2);
      state.loss += (penalty * dot(bent, bent) + tau ** 2 * dot(tilted, tilted)) / 2;
      bends.forEach((row, k) => row.forEach((value, a) => {
        state.gradient[a] += penalty * bent[k] * value;
      }));
      tilts.forEach((row, k) => row.forEach((value, a) => {
        state.gradient[a] += tilted[k] * value;
      }));
      state.hessian.forEach((row, a) => row.forEach((_, b) => {
        row[b] += prior[a][b];
      }));
      return state;
    }

    /* calib.kernels.newton.newton: steps that are halved until the loss falls. */
    function minimum(start, penalties, nextPlace) {
      const prior = priorOf(penalties);
      let coefficients = start;
      let state = derivatives(coefficients, penalties, prior);
      for (let turn = 0; turn < 1000; turn++) {
        const { loss, gradient, hessian } = state;
        const aim = nextPlace(coefficients, gradient, hessian);
        const step = aim.map((value, i) => value - coefficients[i]);
        const decrease = -dot(gradient, step) - dot(step, hessian.map((row) => dot(row, step))) / 2;
        let [share, place] = [1, aim];
        let trial = derivatives(place, penalties, prior);
        while (!(trial.loss <= loss + 1e-12 * loss) && share > 1e-10) {
          share /= 2;
          place = coefficients.map((value, i) => value + share * step[i]);
          trial = derivatives(place, penalties, prior);
        }
        if (!(trial.loss <= loss + 1e-12 * loss)) break;
        coefficients = place;
        state = trial;
        if (decrease <= 1e-14 * loss) break;
      }
      const evidence = halfLog(prior) - state.loss - halfLog(state.hessian);
      return { coefficients, penalties, evidence };
    }

    function fits() {
      return SPREADS.flatMap((tau) => {
        let coefficients = line;
        return PENALTIES.map((penalty) => {
          const fit = minimum(coefficients, [penalty, tau], anywhere);
          coefficients = fit.coefficients;
          return fit;
        });
      });
    }

    /* calib.methods.spline._Curve.increasing: the minimum at the same penalties among coefficients
       that do not decrease. */
    function increasing(fit) {
      const risen = fit.coefficients.slice();
      for (let i = 1; i < SIZE; i++) risen[i] = Math.max(risen[i], risen[i - 1]);
      if (risen.every((value, i) => value === fit.coefficients[i])) return fit;
      return minimum(risen, fit.penalties, ascending);
    }

    return { fits, increasing };
  }

  /* calib.kernels.spline.spline_losses. */
  function losses({ first, basis, labels, weights }, coefficients) {
    let loss = 0;
    const gradient = new Float64Array(SIZE);
    const flat = new Float64Array(SIZE * SIZE);
    for (let i = 0; i < first.length; i++) {
      const at = first[i];
      const b0 = basis[4 * i];
      const b1 = basis[4 * i + 1];
      const b2 = basis[4 * i + 2];
      const b3 = basis[4 * i + 3];
      const odds = b0 * coefficients[at] + b1 * coefficients[at + 1] +
        b2 * coefficients[at + 2] + b3 * coefficients[at + 3];
      const margin = labels[i] ? odds : -odds;
      const small = Math.exp(-Math.abs(margin));
      const miss = margin > 0 ? small / (1 + small) : 1 / (1 + small);
      loss += weights[i] * (Math.log1p(small) + Math.max(-margin, 0));
      const slope = weights[i] * (labels[i] ? -miss : miss);
      const curvature = weights[i] * miss * (1 - miss);
      for (let a = 0; a < 4; a++) {
        const value = basis[4 * i + a];
        gradient[at + a] += slope * value;
        const row = (at + a) * SIZE + at;
        for (let b = 0; b <= a; b++) flat[row + b] += curvature * value * basis[4 * i + b];
      }
    }
    const hessian = zeros(SIZE);
    for (let a = 0; a < SIZE; a++) {
      for (let b = 0; b <= a; b++) hessian[a][b] = hessian[b][a] = flat[a * SIZE + b];
    }
    return { loss, gradient, hessian };
  }

  /* calib.methods.spline._root: lower triangle of Cholesky's method. */
  function rootOf(matrix) {
    const n = matrix.length;
    const root = zeros(n);
    for (let j = 0; j < n; j++) {
      let rest = matrix[j][j] + RIDGE * matrix[j][j];
      for (let k = 0; k < j; k++) rest -= root[j][k] ** 2;
      root[j][j] = Math.sqrt(rest);
      for (let i = j + 1; i < n; i++) {
        let value = matrix[i][j];
        for (let k = 0; k < j; k++) value -= root[i][k] * root[j][k];
        root[i][j] = value / root[j][j];
      }
    }
    return root;
  }
  /* calib.methods.spline._half_log. */
  const halfLog = (matrix) => rootOf(matrix).reduce((sum, row, i) => sum + Math.log(row[i]), 0);

  function forward(root, right) {
    const x = Float64Array.from(right);
    for (let i = 0; i < x.length; i++) {
      for (let k = 0; k < i; k++) x[i] -= root[i][k] * x[k];
      x[i] /= root[i][i];
    }
    return x;
  }
  function backward(root, right) {
    const x = Float64Array.from(right);
    for (let i = x.length - 1; i >= 0; i--) {
      for (let k = i + 1; k < x.length; k++) x[i] -= root[k][i] * x[k];
      x[i] /= root[i][i];
    }
    return x;
  }

  /* calib.methods.spline._PenalisedLoss._parabola_minimum. */
  function anywhere(coefficients, gradient, hessian) {
    const root = rootOf(hessian);
    const step = backward(root, forward(root, gradient));
    return coefficients.map((value, i) => value - step[i]);
  }

  /* calib.methods.spline._IncreasingLoss._parabola_minimum: among coefficients that do not
     decrease. */
  function ascending(coefficients, gradient, hessian) {
    const n = coefficients.length;
    const root = rootOf(hessian);
    const back = forward(root, gradient);
    const target = coefficients.map((_, i) => {
      let sum = -back[i];
      for (let k = i; k < n; k++) sum += root[k][i] * coefficients[k];
      return sum;
    });
    // columns of the level and of each rise
    const columns = zeros(n);
    for (let i = 0; i < n; i++) {
      let sum = 0;
      for (let j = n - 1; j >= 0; j--) {
        sum += root[j][i];
        columns[j][i] = sum;
      }
    }
    const norm = Math.sqrt(dot(columns[0], columns[0]));
    const level = columns[0].map((value) => value / norm);
    const without = (column) => {
      const part = dot(level, column);
      return column.map((value, i) => value - level[i] * part);
    };
    const rises = nonNegative(columns.slice(1).map(without), without(target));
    const explained = target.map((value, i) =>
      value - rises.reduce((sum, rise, j) => sum + rise * columns[j + 1][i], 0));
    const found = new Float64Array(n);
    found[0] = dot(level, explained) / norm;
    for (let i = 1; i < n; i++) found[i] = found[i - 1] + rises[i - 1];
    return found;
  }

  /* Least squares with coefficients that are not negative (Lawson and Hanson). */
  function nonNegative(columns, target) {
    const n = columns.length;
    const x = new Float64Array(n);
    const passive = new Array(n).fill(false);
    const scale = Math.max(...columns.map((column) => dot(column, column)));
    for (let turn = 0; turn < 30 * n; turn++) {
      const rest = target.map((value, i) =>
        value - columns.reduce((sum, column, j) => sum + column[i] * x[j], 0));
      const pull = columns.map((column) => dot(column, rest));
      let best = -1;
      for (let j = 0; j < n; j++) {
        if (!passive[j] && pull[j] > 1e-15 * scale && (best < 0 || pull[j] > pull[best])) best = j;
      }
      if (best < 0) break;
      passive[best] = true;
      for (;;) {
        const used = passive.flatMap((is, j) => (is ? [j] : []));
        const solved = leastSquares(used.map((j) => columns[j]), target);
        if (solved.every((value) => value > 0)) {
          x.fill(0);
          used.forEach((j, k) => {
            x[j] = solved[k];
          });
          break;
        }
        // as far towards the solution as no coefficient falls below 0
        let [share, hit] = [1, -1];
        used.forEach((j, k) => {
          const reach = x[j] / (x[j] - solved[k]);
          if (solved[k] <= 0 && reach <= share) [share, hit] = [reach, j];
        });
        used.forEach((j, k) => {
          x[j] += share * (solved[k] - x[j]);
          if (j === hit || x[j] <= 0) {
            x[j] = 0;
            passive[j] = false;
          }
        });
      }
    }
    return x;
  }

  /* By Householder reflections. */
  function leastSquares(columns, target) {
    const a = columns.map((column) => Float64Array.from(column));
    const y = Float64Array.from(target);
    const diagonal = [];
    a.forEach((v, k) => {
      let norm = 0;
      for (let i = k; i < v.length; i++) norm += v[i] ** 2;
      norm = Math.sqrt(norm);
      const alpha = v[k] > 0 ? -norm : norm;
      diagonal.push(alpha);
      v[k] -= alpha;
      let square = 0;
      for (let i = k; i < v.length; i++) square += v[i] ** 2;
      const reflect = (u) => {
        let sum = 0;
        for (let i = k; i < v.length; i++) sum += v[i] * u[i];
        const factor = square > 0 ? (2 * sum) / square : 0;
        for (let i = k; i < v.length; i++) u[i] -= factor * v[i];
      };
      for (let j = k + 1; j < a.length; j++) reflect(a[j]);
      reflect(y);
    });
    const x = new Float64Array(a.length);
    for (let k = a.length - 1; k >= 0; k--) {
      let value = y[k];
      for (let j = k + 1; j < a.length; j++) value -= a[j][k] * x[j];
      x[k] = value / diagonal[k];
    }
    return x;
  }

  /* numpy.quantile with method "inverted_cdf", of sorted values. */
  function quantile(sorted, q) {
    const index = sorted.length * q - 1;
    const whole = Math.floor(index);
    return sorted[Math.max(index > whole ? whole + 1 : whole, 0)];
  }

  /* calib.methods.spline._knots. */
  function knotsOf(sorted) {
    const apart = (low, high) => high / 2 - low / 2 > SMALLEST_RADIUS;
    let [low, high] = [quantile(sorted, 0.01), quantile(sorted, 0.99)];
    if (!apart(low, high)) [low, high] = [sorted[0], sorted.at(-1)];
    if (apart(low, high)) return [low, high];
    return Math.abs(low) < 1 ? [low - 1, low + 1] : [low / 2, low].sort((a, b) => a - b);
  }

  /* calib.methods.spline._certain_values: values beyond which a line of log-odds would be more
     certain than so many observations allow. */
  const certainValues = ({ level, slope }, n) => [-1, 1].map((side) => {
    if (!(slope > 0)) return side * LARGEST;
    return clip((side * Math.log(n / LEAST_ODDS) - level) / slope, -LARGEST, LARGEST);
  });

  /* The numbers of the map of calib.SplineCalibrator; without data the log-odds are a line in the
     values. */
  function bentLine(values, labels, line) {
    const certain = certainValues(line, values.length);
    const [low, high] = knotsOf(values.map((value) => clip(value, ...certain)).sort());
    const half = high / 2 - low / 2;
    const [least, greatest] = certain.map((end) => clip(end, low - FAR * half, high + FAR * half));
    const places = values.map((value) => N_INTERVALS * ((clip(value, least, greatest) / 2 - low / 2) / half));
    const ends = [low, high].map((knot) => line.level + line.slope * knot);
    const curve = curveOf(ends, places, labels);
    const fits = curve.fits();
    const top = Math.max(...fits.map(({ evidence }) => evidence));
    const kept = fits.filter(({ evidence }) => evidence > top - NEGLIGIBLE);
    const shares = kept.map(({ evidence }) => Math.exp(evidence - top));
    const all = shares.reduce((sum, share) => sum + share, 0);
    const coefficients = new Float64Array(SIZE);
    kept.forEach((one, k) => {
      curve.increasing(one).coefficients.forEach((value, i) => {
        coefficients[i] += (shares[k] / all) * value;
      });
    });
    return { least, greatest, low, high, coefficients: pieces(coefficients) };
  }

  /* Of probabilities. */
  const fit = (scores, labels) =>
    ({ kind: "logit_spline", ...bentLine(scores.map(logOdds), labels, { level: 0, slope: 1 }) });

  /* With scale="score": of scores, about the line of Platt scaling. */
  const fitToScores = (scores, labels, line) =>
    ({ kind: "spline", ...bentLine(scores, labels, line) });

  return { fit, fitToScores };
};
