/*
 * The methods that the widgets show: plain functions of numbers and arrays, nothing of a page.
 *
 * Each does what the function of calib named above it does; tests/test_widgets.py gives both the
 * same input and compares. They are written to be read: samples here have at most a few thousand
 * points, so none of calib's fast algorithms is needed. A point is {score, label}, a group of
 * tied points {score, weight, positive}.
 *
 * A classic script, so that it also runs from file://. It defines one name, `methods`.
 */
"use strict";

const methods = (() => {
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const sigmoid = (t) => 1 / (1 + Math.exp(-t));
  const logit = (p) => Math.log(p / (1 - p));

  /* A function that returns numbers in [0, 1), the same ones for the same seed: mulberry32. */
  function generator(seed) {
    let state = seed >>> 0;
    const bits = () => {
      state = (state + 0x6d2b79f5) >>> 0;
      let t = Math.imul(state ^ (state >>> 15), state | 1);
      t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
      return (t ^ (t >>> 14)) >>> 0;
    };
    return () => ((bits() >>> 5) * 2 ** 26 + (bits() >>> 6)) / 2 ** 53; // 53 bits: no ties
  }

  /* calibkit.datasets.LAWS: the truth pi(y) of a uniform score, and its integral from 0. */
  const LAWS = {
    overconfident: { pi: (y) => 0.25 + y / 2, integral: (y) => y / 4 + y ** 2 / 4 },
    underconfident: { pi: (y) => sigmoid(12 * (y - 0.5)) },
    rare: { pi: (y) => 0.1 * y ** 2, integral: (y) => (0.1 * y ** 3) / 3 },
    wave: { pi: (y) => 0.5 - 0.4 * Math.cos(3 * Math.PI * y) },
  };

  /* n points: uniform scores, and labels that are 1 with the probability pi(score). */
  function sample(law, n, seed) {
    const random = generator(seed);
    return Array.from({ length: n }, () => {
      const score = random();
      return { score, label: random() < law.pi(score) ? 1 : 0 };
    });
  }

  /* Groups of points with equal scores, in increasing order. */
  function groupTies(points) {
    const groups = [];
    for (const { score, label } of [...points].sort((a, b) => a.score - b.score)) {
      if (groups.at(-1)?.score !== score) groups.push({ score, weight: 0, positive: 0 });
      groups.at(-1).weight += 1;
      groups.at(-1).positive += label;
    }
    return groups;
  }

  /* Bins of equal frequency, without the empty ones: lists of groups. No tie is split; it goes
     as a whole to the bin in which its middle rank falls. */
  function equalFrequency(groups, nBins) {
    const total = sum(groups.map((group) => group.weight));
    const bins = Array.from({ length: nBins }, () => []);
    let before = 0;
    for (const group of groups) {
      const middle = before + group.weight / 2;
      bins[Math.floor((nBins * middle) / total)].push(group);
      before += group.weight;
    }
    return bins.filter((bin) => bin.length > 0);
  }

  /* calib.HistogramBinning: bins with their ends, cuts halfway between neighbouring scores. */
  function histogram(points, nBins) {
    const bins = equalFrequency(groupTies(points), nBins);
    const cuts = bins.slice(1).map((bin, i) => (bins[i].at(-1).score + bin[0].score) / 2);
    return bins.map((bin, i) => ({
      lower: i === 0 ? 0 : cuts[i - 1],
      upper: i === cuts.length ? 1 : cuts[i],
      count: sum(bin.map((group) => group.weight)),
      positive: sum(bin.map((group) => group.positive)),
    }));
  }

  /* calibkit.theory.bin_bounds(counts, alpha, n_bins=nBins) for bins that no tie has moved: they hold
     the ranks that were planned, so that the union bound counts J = 2 nBins of them. */
  function binBound(count, nBins, delta) {
    if (count <= 2) return 1;
    const noise = Math.sqrt(Math.log((4 * nBins) / delta) / (2 * count));
    return Math.min(1, noise + 2 / (count - 2));
  }

  /* published_mce_bound of experiments/bounds.py. */
  function publishedBound(n, nBins, delta) {
    return Math.sqrt((2 * nBins * Math.log((2 * nBins) / delta)) / n);
  }

  /* calib.metrics.reliability_curve with strategy="quantile"; the scores are the predictions.
     ties: "group" keeps equal predictions together; "label" sorts them by label and cuts. */
  function reliability(points, nBins, ties) {
    const groups = groupTies(points);
    const bins =
      ties === "group" ? equalFrequency(groups, nBins) : equalSize(byLabel(groups), nBins);
    const curve = bins.map((bin) => {
      const count = sum(bin.map((group) => group.weight));
      const predicted = sum(bin.map((group) => group.weight * group.score)) / count;
      const observed = sum(bin.map((group) => group.positive)) / count;
      return { count, predicted, observed, gap: Math.abs(observed - predicted) };
    });
    const ece = sum(curve.map((bin) => bin.count * bin.gap)) / points.length;
    return { curve, ece, mce: Math.max(...curve.map((bin) => bin.gap)) };
  }

  /* One group for each point, negatives first among equal scores. */
  function byLabel(groups) {
    return groups.flatMap(({ score, weight, positive }) =>
      Array.from({ length: weight }, (_, i) => {
        return { score, weight: 1, positive: i < weight - positive ? 0 : 1 };
      }),
    );
  }

  /* numpy.array_split: the first bins hold one more if the sizes cannot be equal. */
  function equalSize(list, nBins) {
    const size = Math.floor(list.length / nBins);
    const more = list.length % nBins;
    const start = (k) => k * size + Math.min(k, more);
    const bins = Array.from({ length: nBins }, (_, k) => list.slice(start(k), start(k + 1)));
    return bins.filter((bin) => bin.length > 0);
  }

  /* calib.kernels.adjacent_violators.pool_adjacent_violators: blocks {start, end, weight, positive}
     of the isotonic regression of the groups. `watch` is told of each new block and of each pooling. */
  function pool(groups, watch = () => {}) {
    const blocks = [];
    groups.forEach(({ weight, positive }, i) => {
      blocks.push({ start: i, end: i + 1, weight, positive });
      watch("new", blocks);
      while (blocks.length > 1 && mean(blocks.at(-2)) >= mean(blocks.at(-1))) {
        const right = blocks.pop();
        const left = blocks.pop();
        blocks.push({
          start: left.start,
          end: right.end,
          weight: left.weight + right.weight,
          positive: left.positive + right.positive,
        });
        watch("pool", blocks);
      }
    });
    return blocks;
  }

  const mean = ({ weight, positive }) => positive / weight;

  /* calib.NearIsotonicPath as one number for each boundary between groups, the price lambda at
     which it disappears: lambdas_ and the bins at any price. */
  function nearIsotonicPath(groups) {
    const k = groups.length;
    const inner = (i) => 0 < i && i < k;
    const falls = Array.from({ length: k + 1 }, (_, i) =>
      inner(i) && mean(groups[i - 1]) > mean(groups[i]) ? 1 : 0,
    );
    const lifetimes = falls.map((_, i) =>
      inner(i) && mean(groups[i - 1]) === mean(groups[i]) ? 0 : Infinity,
    );

    function binsAt(lambda) {
      const starts = lifetimes.flatMap((life, i) => (life > lambda ? [i] : []));
      return starts.slice(1).map((end, i) => {
        const members = groups.slice(starts[i], end);
        const weight = sum(members.map((group) => group.weight));
        const positive = sum(members.map((group) => group.positive));
        const pull = falls[starts[i]] - falls[end];
        const value = (positive + Math.min(lambda, lambdas.at(-1)) * pull) / weight;
        return { start: starts[i], end, weight, positive, pull, value };
      });
    }

    /* The price at which two neighbours are equal, infinite if they never are. */
    function meeting(a, b) {
      const closing = a.pull * b.weight - b.pull * a.weight;
      if (closing === 0) return Infinity;
      return (b.positive * a.weight - a.positive * b.weight) / closing;
    }

    const lambdas = [0];
    for (;;) {
      const bins = binsAt(lambdas.at(-1));
      const meetings = bins.slice(1).map((bin, i) => meeting(bins[i], bin));
      const next = Math.min(...meetings);
      if (!Number.isFinite(next)) break;
      meetings.forEach((time, i) => {
        if (time <= next + 1e-12) lifetimes[bins[i].end] = next;
      });
      lambdas.push(next);
    }
    return { lambdas, binsAt };
  }

  /* calib.VennAbers, literally: isotonic regression of the points and the new object with label 0
     and with label 1. What is returned are the two level sets that hold the new object. */
  function vennAbers(points, score) {
    return [0, 1].map((label) => {
      const groups = groupTies([...points, { score, label }]);
      const place = groups.findIndex((group) => group.score === score);
      const block = pool(groups).find(({ start, end }) => start <= place && place < end);
      const first = groups[block.start].score;
      const last = groups[block.end - 1].score;
      return { p: mean(block), weight: block.weight, positive: block.positive, first, last };
    });
  }

  /* calib.methods.minimax_log. */
  const merged = (p0, p1) => p1 / (1 - p0 + p1);

  /* Theorem thm-c10-price for the distribution "rare": who gets a letter, what it brings and what
     is lost if the log odds of the estimate are off by `shift`. Amounts are dollars per person. */
  function mailing(gift, cost, shift) {
    const { pi, integral } = LAWS.rare;
    const threshold = cost / gift;
    // the estimate is above the threshold where the truth is above this
    const reached = sigmoid(logit(threshold) - shift);
    const scoreAt = (probability) => Math.min(1, Math.sqrt(probability / pi(1)));
    const profitFrom = (cut) => gift * (integral(1) - integral(cut)) - cost * (1 - cut);
    const best = scoreAt(threshold);
    const cut = scoreAt(reached);
    const errors = Array.from({ length: 1000 }, (_, i) => {
      const truth = pi((i + 0.5) / 1000);
      return Math.abs(sigmoid(logit(truth) + shift) - truth);
    });
    return {
      threshold,
      best,
      cut,
      profit: profitFrom(cut),
      loss: profitFrom(best) - profitFrom(cut),
      bound: (gift * sum(errors)) / errors.length,
    };
  }

  /* A forecaster who knows the probability, uniform on [0, 1], and multiplies its log odds by a
     factor: the truth at what is said, and the mean losses. */
  function confidence(factor) {
    const n = 20_000;
    const known = Array.from({ length: n }, (_, i) => (i + 0.5) / n);
    const say = (p) => sigmoid(factor * logit(p));
    const square = (p) => p * (1 - p) + (say(p) - p) ** 2;
    const log = (p) => -p * Math.log(say(p)) - (1 - p) * Math.log(say(1 - p));
    return {
      truth: (said) => sigmoid(logit(said) / factor),
      brier: sum(known.map(square)) / n,
      log: sum(known.map(log)) / n,
    };
  }

  return {
    LAWS,
    generator,
    sample,
    groupTies,
    histogram,
    binBound,
    publishedBound,
    reliability,
    pool,
    mean,
    nearIsotonicPath,
    vennAbers,
    merged,
    mailing,
    confidence,
  };
})();
