/*
 * The maps of this page: each is fitted as the class of calib that is named with it, and is what
 * `map_.to_dict()` gives there. Needs draws, special, measures, fitting and spline.
 */
"use strict";

const mapsModule = () => {
  const { inside, logOdds, expit } = special;
  const LARGEST = Number.MAX_VALUE;
  const SMALLEST_RADIUS = 1e-290;
  const MAX_KNOTS = 256;
  /* calib.methods.logistic_fit.radius_about. */
  const radiusAbout = (centre, lowest, highest) => {
    const radius = Math.max(highest - centre, centre - lowest);
    return radius < SMALLEST_RADIUS ? Infinity : radius;
  };
  const ends = (values) => {
    let [low, high] = [Infinity, -Infinity];
    for (const value of values) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
    return [low, high];
  };
  function median(values) {
    const sorted = Float64Array.from(values).sort();
    const half = sorted.length >> 1;
    return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }
  /* calib.methods.logistic_fit.middle: the median of some ten thousand values. */
  function middle(values) {
    const step = 1 + Math.floor(values.length / 10000);
    return median(values.filter((_, i) => i % step === 0));
  }
  const clip = (x, low, high) => Math.min(Math.max(x, low), high);

  const identity = () => ({ kind: "linear", scores: [0, 1], probabilities: [0, 1] });

  /* calib.TemperatureScaling. */
  function temperature(scores, labels) {
    const values = scores.map(logOdds);
    const radius = radiusAbout(0, ...ends(values));
    const fit = fitting.likeliestSlope(values.map((value) => value / radius), labels);
    const slope = clip(fit.slopes[0] / radius, 0, LARGEST);
    return { kind: "logit_polynomial", coefficients: [0, slope], centre: 0 };
  }

  /* calib.methods.platt.PlattScaling._fit: the log-odds as a line of level `level` at `centre`. */
  function lineOf(values, labels) {
    const halves = values.map((value) => value / 2);
    const centre = median(halves);
    const radius = radiusAbout(centre, ...ends(halves));
    const positive = measures.positivesOf(labels);
    const negative = labels.length - positive;
    const misses = [1 / (negative + 2), 1 / (positive + 2)];
    const start = Float64Array.of(Math.log((positive + 1) / (negative + 1)), 0);
    const column = halves.map((value) => (value - centre) / radius);
    const fit = fitting.newton(fitting.sampleOf([column], labels, misses), start);
    const slope = clip(fit.slopes[0] / (2 * radius), -LARGEST, LARGEST);
    return { slope, level: fit.level, centre: 2 * centre };
  }
  const levelAtZero = ({ slope, level, centre }) => level - slope * centre;

  /* calib.PlattScaling, with scale="logit". */
  function platt(scores, labels) {
    const { slope, level, centre } = lineOf(scores.map(logOdds), labels);
    return { kind: "logit_polynomial", coefficients: [level, slope], centre };
  }

  /* calib.methods.margins.RisingLine. */
  function risingLine(scores, labels) {
    const line = lineOf(scores, labels);
    const rising = line.slope < 0 ? lineOf(scores.map(() => 0), labels) : line;
    return { kind: "sigmoid", slope: rising.slope, intercept: levelAtZero(rising) };
  }

  /* calib.SplineCalibrator, with scale="score". */
  function scoreSpline(scores, labels) {
    const line = lineOf(scores, labels);
    return spline.fitToScores(scores, labels, { slope: line.slope, level: levelAtZero(line) });
  }

  /* calib.methods.margins.RankSpline. */
  function rankSpline(scores, labels) {
    const ties = measures.groupTies(scores, labels);
    let below = 0;
    const ranks = ties.weights.map((weight) => {
      below += weight;
      return (below - weight / 2) / labels.length;
    });
    const rankOf = (score) => ranks[measures.countBelow(ties.scores, score)];
    const f = functionOf(spline.fit(scores.map(rankOf), labels));
    const last = MAX_KNOTS - 1;
    const knots = new Set(Array.from({ length: MAX_KNOTS }, (_, i) => {
      const share = i < last ? i * (1 / last) : 1;
      return Math.min(measures.countBelow(ranks, share), ranks.length - 1);
    }));
    return {
      kind: "linear",
      scores: Array.from(knots, (g) => ties.scores[g]),
      probabilities: Array.from(knots, (g) => f(ranks[g])),
    };
  }

  /* calib.BetaCalibration. */
  function beta(scores, labels) {
    const within = scores.map(inside);
    const centre = middle(within);
    const columns = betaColumns(within, centre);
    const fitted = (used) => {
      const fit = fitting.likeliest(used.map((j) => columns[j]), labels);
      const exponents = [0, 0];
      used.forEach((j, k) => {
        exponents[j] = fit.slopes[k];
      });
      return { ...fit, exponents };
    };
    let found = fitted([0, 1]);
    const negative = [0, 1].filter((j) => found.exponents[j] < 0);
    if (negative.length) {
      const edges = negative.map((j) => fitted([1 - j]));
      const allowed = edges.filter(({ slopes }) => slopes[0] >= 0);
      found = allowed.length
        ? allowed.reduce((best, fit) => (fit.loss < best.loss ? fit : best)) : fitted([]);
    }
    const [a, b] = found.exponents;
    return { kind: "beta", a, b, level: found.level, centre };
  }
  /* calib.base.curve_maps.BetaMap.columns. */
  const betaColumns = (within, centre) => [
    within.map((p) => Math.log(p / centre)),
    within.map((p) => -Math.log((1 - p) / (1 - centre))),
  ];

  /* calib.IsotonicCalibrator, with centred=True and smoothing=0.5. */
  function centredIsotonic(scores, labels) {
    const ties = measures.groupTies(scores, labels);
    const last = ties.weights.length - 1;
    ties.weights[0] += 0.5;
    ties.positives[0] += 0.5;
    ties.weights[last] += 0.5;
    const { starts, totals, hits } = measures.pool(ties);
    const knots = Array.from(hits, (_, b) => {
      const [from, to] = [starts[b], starts[b + 1]];
      const [lowest, highest] = [ties.scores[from], ties.scores[to - 1]];
      let [weight, half] = [0, 0];
      for (let g = from; g < to; g++) {
        weight += ties.weights[g];
        half += (ties.weights[g] / weight) * (0.5 * ties.scores[g] - 0.5 * lowest - half);
      }
      return Math.min(Math.max(lowest + half + half, lowest), highest);
    });
    const probabilities = Array.from(hits, (hit, b) => inside(hit / totals[b]));
    return { kind: "linear", scores: knots, probabilities };
  }

  /* calib.VennAbers, with its pairs merged for log loss (calib.methods.venn_abers.minimax_log). */
  function vennAbers(scores, labels) {
    const ties = measures.groupTies(scores, labels);
    const upper = pooledWithPositive(ties, (hit, total) => (hit + 1) / (total + 1));
    const mirrored = {
      weights: ties.weights.slice().reverse(),
      positives: ties.positives.map((hit, i) => ties.weights[i] - hit).reverse(),
    };
    const lower = pooledWithPositive(mirrored, (miss, total) => (total - miss) / (total + 1));
    lower.reverse();
    for (let i = 1; i < upper.length; i++) {
      lower[i] = Math.max(lower[i], lower[i - 1]);
      upper[i] = Math.max(upper[i], upper[i - 1]);
    }
    // p0 steps up on a score, p1 just behind it
    const merged = (p0, p1) => 1 / (1 + (1 - p0) / p1);
    const map = { kind: "step", scores: [], probabilities: [merged(lower[0], upper[0])] };
    const stepTo = (score, p0, p1) => {
      const value = merged(p0, p1);
      if (value === map.probabilities.at(-1)) return;
      map.scores.push(score);
      map.probabilities.push(value);
    };
    ties.scores.forEach((score, i) => {
      if (lower[i + 1] === lower[i] && upper[i + 1] === upper[i]) return;
      stepTo(score, lower[i + 1], upper[i]);
      stepTo(nextAfter(score), lower[i + 1], upper[i + 1]);
    });
    return map;
  }

  /* calib.VennAbers, with centred=True. */
  function centredVennAbers(scores, labels) {
    const map = vennAbers(scores, labels);
    const ties = measures.groupTies(scores, labels);
    const logits = Array.from(ties.scores, logitsOf(map));
    const rate = rateWithin(measures.positivesOf(labels), labels.length);
    const factor = Math.exp(levelShift(logits, ties.weights, rate));
    const moved = { kind: "step", scores: [], probabilities: [] };
    map.probabilities.forEach((p, i) => {
      const value = timesOdds(p, factor);
      if (value === moved.probabilities.at(-1)) return;
      if (i > 0) moved.scores.push(map.scores[i - 1]);
      moved.probabilities.push(value);
    });
    return moved;
  }

  /* calib.base.probabilities.times_odds. */
  const timesOdds = (p, factor) => (factor === 1 ? p : 1 / (1 + (1 / p - 1) / factor));

  /* calib.kernels.level.rate_within. */
  const rateWithin = (positive, all) =>
    clip(positive / all, 0.5 / (all + 1), 1 - 0.5 / (all + 1));

  /* calib.kernels.level.level_shift, by false positions: what is nearly a line takes few steps. */
  function levelShift(logits, weights, mean) {
    const all = weights.reduce((sum, w) => sum + w, 0);
    const wanted = special.logit(mean);
    const excess = (shift) => {
      const sum = logits.reduce((found, t, i) => found + weights[i] * expit(t + shift), 0);
      return special.logit(sum / all) - wanted;
    };
    const [lowest, highest] = ends(logits);
    let [low, high] = [wanted - highest - 1e-9, wanted - lowest + 1e-9];
    let [below, above] = [excess(low), excess(high)];
    for (let turn = 0; turn < 200 && high - low > 1e-13; turn++) {
      const step = turn % 3 === 2 ? 0.5 : below / (below - above);
      const place = low + (high - low) * step;
      const found = excess(place);
      if (found === 0 || place === low || place === high) return place;
      if (found < 0) {
        [low, below] = [place, found];
        above /= 2;
      } else {
        [high, above] = [place, found];
        below /= 2;
      }
    }
    return (low + high) / 2;
  }

  /* calib.methods.venn_abers_kernels.pool_new_positive: a value for each place of a new positive.
     */
  function pooledWithPositive({ weights, positives }, value) {
    const n = weights.length;
    const blocks = measures.pool({ weights, positives });
    const values = new Float64Array(n + 1);
    let [hit, total, passedHit, passedTotal, b, now] = [0, 0, 0, 0, 0, 0];
    for (let j = 0; j <= n; j++) {
      let isNew = true;
      if (j === n || j === blocks.starts[b]) {
        hit = 0;
        total = 0;
      } else if (passedHit * (total + 1) < (hit + 1) * passedTotal) {
        total = Math.max(total - passedTotal, 0);
        hit = Math.min(Math.max(hit - passedHit, 0), total);
      } else {
        passedHit += positives[j];
        passedTotal += weights[j];
        isNew = false;
      }
      if (isNew) {
        while (b < blocks.hits.length &&
          (hit + 1) * blocks.totals[b] >= blocks.hits[b] * (total + 1)) {
          hit += blocks.hits[b];
          total += blocks.totals[b];
          b += 1;
        }
        now = value(hit, total);
        if (j < n) {
          passedHit = positives[j];
          passedTotal = weights[j];
        }
      }
      values[j] = now;
    }
    return values;
  }

  /* numpy.nextafter(x, infinity). */
  function nextAfter(x) {
    if (x === 0) return Number.MIN_VALUE;
    const view = new DataView(new ArrayBuffer(8));
    view.setFloat64(0, x);
    view.setBigUint64(0, view.getBigUint64(0) + (x > 0 ? 1n : -1n));
    return view.getFloat64(0);
  }

  // What the maps are: their name in `compare`, the class, its parameters, and how it is fitted.
  const METHODS = {
    Temperature: { method: "TemperatureScaling", parameters: { scale: "logit" }, fit: temperature },
    "Platt on logits": { method: "PlattScaling", parameters: { scale: "logit" }, fit: platt },
    Beta: { method: "BetaCalibration", parameters: { platt_targets: false }, fit: beta },
    Spline: {
      method: "SplineCalibrator", parameters: { scale: "logit", increasing: true },
      fit: (scores, labels) => spline.fit(scores, labels),
    },
    "Centred isotonic": {
      method: "IsotonicCalibrator", parameters: { centred: true, smoothing: 0.5 },
      fit: centredIsotonic,
    },
    "Venn-Abers": {
      method: "VennAbers", parameters: { centred: false, loss: "log" }, fit: vennAbers,
    },
  };

  /* calib.base.maps.LogisticMap.logits: the log-odds that a map gives a score, if it knows them
     itself. */
  function ownLogits(map) {
    const pieceOf = (m, value) => {
      const n = m.coefficients.length - 2;
      const half = clip(value, m.least, m.greatest) / 2;
      const place = n * ((half - m.low / 2) / (m.high / 2 - m.low / 2));
      const piece = clip(Math.floor(place) + 1, 0, n + 1);
      const c = m.coefficients[piece];
      const t = place - Math.max(piece - 1, 0);
      return ((c[3] * t + c[2]) * t + c[1]) * t + c[0];
    };
    const forms = {
      sigmoid: ({ slope, intercept }) => (s) => slope * s + intercept,
      logit_polynomial: ({ coefficients, centre }) => (s) =>
        coefficients.reduceRight((sum, c) => sum * (logOdds(s) - centre) + c, 0),
      beta: ({ a, b, level, centre }) => (s) =>
        level + a * Math.log(inside(s) / centre) - b * Math.log((1 - inside(s)) / (1 - centre)),
      spline: (m) => (s) => pieceOf(m, s),
      logit_spline: (m) => (s) => pieceOf(m, logOdds(s)),
    };
    return forms[map.kind]?.(map);
  }

  /* Log-odds of the probabilities, as predict_logit gives them. */
  function logitsOf(map) {
    const f = functionOf(map);
    return ownLogits(map) ?? ((s) => logOdds(f(s)));
  }

  /* calib.base.maps.CalibrationMap and calib.base.curve_maps: the function of a score that a map
     is. */
  function functionOf(map) {
    const logit = ownLogits(map);
    if (map.kind.endsWith("spline")) return (s) => inside(expit(logit(s)));
    if (logit) return (s) => expit(logit(s));
    if (map.kind === "mirrored") {
      const turned = functionOf(map.map);
      return (s) => turned(-s);
    }
    if (map.kind === "mixture") {
      const members = map.members.map(functionOf);
      return (s) => timesOdds(
        members.reduce((sum, f, k) => sum + map.weights[k] * f(s), 0), map.odds_factor);
    }
    const { scores, probabilities } = map;
    const notAbove = (s) => {
      let [low, high] = [0, scores.length];
      while (low < high) {
        const half = (low + high) >> 1;
        if (scores[half] <= s) low = half + 1;
        else high = half;
      }
      return low;
    };
    if (map.kind === "step") return (s) => probabilities[notAbove(s)];
    return (s) => {
      const right = notAbove(s);
      if (right === 0) return probabilities[0];
      if (right === scores.length) return probabilities[right - 1];
      const [left, here] = [probabilities[right - 1], probabilities[right]];
      const gap = 0.5 * scores[right] - 0.5 * scores[right - 1];
      const share = gap > 0 ? (0.5 * s - 0.5 * scores[right - 1]) / gap : 0;
      const value = left + share * (here - left);
      return clip(value, Math.min(left, here), Math.max(left, here));
    };
  }

  return {
    METHODS, functionOf, logitsOf, identity, risingLine, scoreSpline, rankSpline, centredVennAbers,
    rateWithin, levelShift,
  };
};
