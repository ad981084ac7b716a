/*
 * Special functions and sums, to the digits that scipy and NumPy give.
 */
"use strict";

const specialModule = () => {
  const NEAREST = 2 ** -53;
  /* calib.base.probabilities.inside. */
  const inside = (p) => Math.min(Math.max(p, NEAREST), 1 - NEAREST);
  const expit = (t) => 1 / (1 + Math.exp(-t));
  // log1p near 1/2, where the quotient is as good as 1
  const logit = (p) =>
    p > 0.3 && p < 0.65 ? Math.log1p(2 * p - 1) - Math.log1p(1 - 2 * p) : Math.log(p / (1 - p));
  /* calib.base.probabilities.log_odds. */
  const logOdds = (p) => logit(inside(p));

  function total(values) {
    let sum = 0;
    let lost = 0; // by rounding (Kahan)
    for (let i = 0; i < values.length; i++) {
      const term = values[i] - lost;
      const next = sum + term;
      lost = next - sum - term;
      sum = next;
    }
    return sum;
  }

  /* Sums before each value, and of all at the end. */
  function prefixSums(values) {
    const sums = new Float64Array(values.length + 1);
    for (let i = 0; i < values.length; i++) sums[i + 1] = sums[i] + values[i];
    return sums;
  }

  /* numpy.add.reduceat of one segment, with NumPy's order of the additions: means that are equal
     there must be equal here. */
  function segmentSum(values, start, end) {
    return values[start] + pairwise(values, start + 1, end - start - 1);
  }

  function pairwise(values, start, n) {
    if (n < 8) {
      let sum = -0;
      for (let i = 0; i < n; i++) sum += values[start + i];
      return sum;
    }
    if (n > 128) {
      const half = (n >> 1) - ((n >> 1) % 8);
      return pairwise(values, start, half) + pairwise(values, start + half, n - half);
    }
    const r = Array.from(values.subarray(start, start + 8));
    let i = 8;
    for (; i < n - (n % 8); i += 8) for (let j = 0; j < 8; j++) r[j] += values[start + i + j];
    let sum = r[0] + r[1] + (r[2] + r[3]) + (r[4] + r[5] + (r[6] + r[7]));
    for (; i < n; i++) sum += values[start + i];
    return sum;
  }

  /* Complement of the error function: a series, and a continued fraction from 2 on. */
  function erfc(x) {
    if (x < 0) return 2 - erfc(-x);
    if (x < 2) {
      let term = x;
      let sum = x;
      for (let n = 1; term > 1e-17 * sum; n++) {
        term *= (2 * x * x) / (2 * n + 1);
        sum += term;
      }
      return 1 - (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
    }
    let fraction = 0;
    for (let n = 120; n > 0; n--) fraction = n / 2 / (x + fraction);
    return Math.exp(-x * x) / Math.sqrt(Math.PI) / (x + fraction);
  }
  const ndtr = (x) => erfc(-x / Math.SQRT2) / 2;

  /* The x at which an increasing function is 0, by bisection, to the last digit. */
  function root(f, low, high) {
    for (;;) {
      const middle = low + (high - low) / 2;
      if (!(low < middle && middle < high)) return middle;
      if (f(middle) < 0) low = middle;
      else high = middle;
    }
  }

  const memory = new Map();
  const remembered = (name, f) => (x) => {
    const key = `${name} ${x}`;
    if (!memory.has(key)) memory.set(key, f(x));
    return memory.get(key);
  };
  const ndtri = remembered("ndtri", (p) => {
    const tail = Math.min(p, 1 - p);
    const x = root((y) => ndtr(y) - tail, -40, 0);
    return p < 0.5 ? x : -x;
  });

  /* What Stirling's formula lacks to log(Gamma(z)). */
  function stirlingRest(z) {
    if (z < 10) return stirlingRest(z + 1) + (z + 0.5) * Math.log1p(1 / z) - 1;
    const s = 1 / (z * z);
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - (1 / 1188 - (691 / 360360 - s / 156) * s) *
      s) * s) * s) * s) / z;
  }

  /* Logarithm of x^a (1 - x)^b / B(a, b), without cancellation. */
  function logDensity(a, b, x, rest) {
    const n = a + b;
    return a * Math.log((x * n) / a) + b * Math.log(((1 - x) * n) / b) + rest;
  }
  function restOf(a, b) {
    const n = a + b;
    return 0.5 * Math.log((a * b) / (2 * Math.PI * n)) +
      stirlingRest(n) - stirlingRest(a) - stirlingRest(b);
  }

  /* Continued fraction of the incomplete beta function, for x below the mean (Lentz). */
  function betaFraction(a, b, x) {
    const TINY = 1e-300;
    let c = 1;
    let d = 1 - ((a + b) * x) / (a + 1);
    d = 1 / (Math.abs(d) < TINY ? TINY : d);
    let h = d;
    for (let m = 1; m < 100000; m++) {
      let k = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
      d = 1 + k * d;
      c = 1 + k / c;
      d = 1 / (Math.abs(d) < TINY ? TINY : d);
      if (Math.abs(c) < TINY) c = TINY;
      h *= d * c;
      k = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
      d = 1 + k * d;
      c = 1 + k / c;
      d = 1 / (Math.abs(d) < TINY ? TINY : d);
      if (Math.abs(c) < TINY) c = TINY;
      h *= d * c;
      if (Math.abs(d * c - 1) < 1e-16) break;
    }
    return h;
  }

  function betainc(a, b, x) {
    if (x <= 0) return 0;
    if (x >= 1) return 1;
    const front = Math.exp(logDensity(a, b, x, restOf(a, b)));
    if (x < (a + 1) / (a + b + 2)) return (front * betaFraction(a, b, x)) / a;
    return 1 - (front * betaFraction(b, a, 1 - x)) / b;
  }

  /* The x at which the incomplete beta function has a small value `tail`: Newton's method on the
     logarithms of both, within a bracket. It lies below the mean. */
  function betaQuantile(a, b, tail) {
    const rest = restOf(a, b);
    const goal = Math.log(tail);
    let [low, high] = [-745, Math.log(a / (a + b))];
    let y = high - Math.min(3 * Math.sqrt(b / (a * (a + b + 1))), 1);
    for (let i = 0; i < 200; i++) {
      const x = Math.exp(y);
      const log = logDensity(a, b, x, rest);
      const value = log + Math.log(betaFraction(a, b, x) / a);
      if (value < goal) low = y;
      else high = y;
      // the derivative in log x is x^a (1 - x)^(b - 1) / B over the function
      const slope = Math.exp(log - value) / (1 - x);
      const step = (value - goal) / slope;
      let next = y - step;
      if (!(low < next && next < high)) next = (low + high) / 2;
      if (Math.abs(next - y) <= 1e-15 * Math.abs(y) || next === y) return Math.exp(next);
      y = next;
    }
    return Math.exp(y);
  }

  /* calib.metrics.limits.clopper_pearson: limits that each miss with probability `tail`. */
  function clopperPearson(positives, count, tail) {
    const negatives = Math.max(count - positives, 0);
    const observed = positives / count;
    const lower = positives <= 0 ? 0 : betaQuantile(positives, negatives + 1, tail);
    const upper = negatives <= 0 ? 1 : 1 - betaQuantile(negatives, positives + 1, tail);
    return [Math.min(lower, observed), Math.max(upper, observed)];
  }

  /* calibkit.inference.significance.brownian_range_tail: of the range of Brownian motion on [0, 1],
     by Feller's series or its dual. */
  function brownianRangeTail(x) {
    if (x === 0) return 1;
    let sum = 0;
    if (x > 1.5) {
      for (let k = 1; k < 20; k++) sum += (k % 2 ? k : -k) * ndtr(-k * x);
      return Math.min(1, 8 * sum);
    }
    for (let k = 1; k < 20; k++) {
      const square = ((2 * k - 1) * Math.PI) ** 2;
      sum += (8 / x ** 2 + 8 / square) * Math.exp(-square / (2 * x ** 2));
    }
    return 1 - sum;
  }
  /* calibkit.inference.kuiper.brownian_range_quantile. */
  const criticalRange = remembered("range", (confidence) =>
    root((x) => 1 - confidence - brownianRangeTail(x), 0.1, 40));

  function kolmogorov(x) {
    if (x <= 0) return 1;
    let sum = 0;
    if (x > 1) {
      for (let k = 1; k < 20; k++) sum += (k % 2 ? 2 : -2) * Math.exp(-2 * k * k * x * x);
      return sum;
    }
    for (let k = 1; k < 20; k++) sum += Math.exp(-((((2 * k - 1) * Math.PI) / x) ** 2) / 8);
    return 1 - (Math.sqrt(2 * Math.PI) / x) * sum;
  }

  /* A number with so many decimals as Python writes it: ties to the even digit. */
  function fixed(value, digits) {
    const text = value.toFixed(digits);
    const more = Math.abs(value).toFixed(Math.min(digits + 60, 100));
    const point = more.indexOf(".") + 1 + digits;
    if (!/^50*$/.test(more.slice(point))) return text;
    const down = more.slice(0, digits ? point : point - 1);
    const even = Number(down.at(-1)) % 2 === 0;
    return even ? (value < 0 ? `-${down}` : down) : text;
  }

  /* calibkit.inference.digits.decimals_between: decimals that show half the distance of two
     limits with so many significant digits. */
  function decimalsBetween(lower, upper, shown = 1) {
    const half = (upper - lower) / 2;
    if (!(half > 0 && half < Infinity)) return 0;
    return Math.min(Math.max(shown - 1 - Math.floor(Math.log10(half)), 0), 12);
  }

  /* calibkit.inference.digits.decimals_of_column: the same by the median of several limits. */
  function decimalsOfColumn(limits, shown = 1) {
    const widths = Float64Array.from(limits, ([lower, upper]) => upper - lower)
      .filter((width) => width > 0 && width < Infinity).sort();
    return widths.length ? decimalsBetween(0, widths[Math.floor(widths.length / 2)], shown) : 0;
  }

  /* A number as Python's format ".{digits}g" writes it. */
  function general(value, digits) {
    if (value === 0) return "0";
    const [mantissa, power] = value.toExponential(digits - 1).split("e");
    const exponent = Number(power);
    if (exponent < -4 || exponent >= digits) {
      const short = mantissa.includes(".") ? mantissa.replace(/\.?0+$/, "") : mantissa;
      return `${short}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
    }
    const text = value.toFixed(Math.max(digits - 1 - exponent, 0));
    return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
  }

  return {
    NEAREST, inside, expit, logit, logOdds, total, prefixSums, segmentSum, ndtr, ndtri, root,
    betainc, clopperPearson, brownianRangeTail, criticalRange, kolmogorov, fixed, general,
    decimalsBetween, decimalsOfColumn,
  };
};
