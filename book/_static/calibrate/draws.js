/*
 * NumPy's random numbers, digit by digit, so that this page draws what `calib` draws: its verdict
 * and its folds are those of the command line, and not merely like them.
 *
 * Each file of this folder defines one function that returns a module. They are turned into text
 * and put together in a worker (answer.js), so none may use a name of the page.
 */
"use strict";

const drawsModule = () => {
  // The state of numpy.random.default_rng(0), the generator of every draw in calib, and the factor
  // of PCG64, in limbs of 24 bits, the lowest first: their products are exact as floats.
  const limbs = (hexadecimal) =>
    Array.from({ length: 6 }, (_, i) =>
      parseInt(hexadecimal.padStart(36, "0").slice(30 - 6 * i, 36 - 6 * i), 16));
  const STATE = limbs("1aa1b5345996452d09585eb7a69561e3");
  const STEP = limbs("418ddadb3af71a82588133bc447873a9");
  const FACTOR = limbs("2360ed051fc65da44385df649fccf645");
  const [M0, M1, M2, M3, M4, M5] = FACTOR;
  const [I0, I1, I2, I3, I4, I5] = STEP;
  const UP = 2 ** 24;
  const DOWN = 2 ** -24;

  /* numpy.random.default_rng(0): PCG64 and what NumPy makes of its 64 bits. */
  function generator() {
    const state = Float64Array.from(STATE);
    const word = new Uint32Array(2); // the last 64 bits, the lower half first
    let waiting = false; // whether the upper half is to be given out

    function advance() {
      let a0 = state[0];
      let a1 = state[1];
      let a2 = state[2];
      let a3 = state[3];
      let a4 = state[4];
      let a5 = state[5];
      let c0 = a0 * M0 + I0;
      let c1 = a1 * M0 + a0 * M1 + I1;
      let c2 = a2 * M0 + a1 * M1 + a0 * M2 + I2;
      let c3 = a3 * M0 + a2 * M1 + a1 * M2 + a0 * M3 + I3;
      let c4 = a4 * M0 + a3 * M1 + a2 * M2 + a1 * M3 + a0 * M4 + I4;
      let c5 = a5 * M0 + a4 * M1 + a3 * M2 + a2 * M3 + a1 * M4 + a0 * M5 + I5;
      let carry = Math.floor(c0 * DOWN);
      a0 = c0 - carry * UP;
      c1 += carry;
      carry = Math.floor(c1 * DOWN);
      a1 = c1 - carry * UP;
      c2 += carry;
      carry = Math.floor(c2 * DOWN);
      a2 = c2 - carry * UP;
      c3 += carry;
      carry = Math.floor(c3 * DOWN);
      a3 = c3 - carry * UP;
      c4 += carry;
      carry = Math.floor(c4 * DOWN);
      a4 = c4 - carry * UP;
      c5 += carry;
      a5 = c5 - Math.floor(c5 / 256) * 256;
      state[0] = a0;
      state[1] = a1;
      state[2] = a2;
      state[3] = a3;
      state[4] = a4;
      state[5] = a5;
      const top = a4 | (a5 << 24);
      const x = a0 ^ (a1 << 24) ^ (a2 >> 16) ^ (a3 << 8);
      const y = (a1 >> 8) ^ (a2 << 16) ^ top;
      const turn = top >>> 26;
      const first = turn & 32 ? y : x;
      const second = turn & 32 ? x : y;
      const left = -turn & 31; // a shift by 32 is one by 0: hence two steps
      word[0] = (first >>> (turn & 31)) | ((second << left) & -(left !== 0));
      word[1] = (second >>> (turn & 31)) | ((first << left) & -(left !== 0));
    }

    function random() {
      advance();
      return (word[1] * 2 ** 21 + (word[0] >>> 11)) * 2 ** -53;
    }

    function bits32() {
      waiting = !waiting;
      if (!waiting) return word[1];
      advance();
      return word[0];
    }

    /* Generator.permutation of an array. */
    function permutation(values) {
      const shuffled = values.slice();
      for (let i = shuffled.length - 1; i > 0; i--) {
        const j = upTo(i, bits32);
        [shuffled[i], shuffled[j]] = [shuffled[j], shuffled[i]];
      }
      return shuffled;
    }

    function normal() {
      const { edges, widths, keeps, heights } = ziggurat();
      for (;;) {
        advance();
        const [low, high] = word;
        const layer = low & 0xff;
        const negative = (low >>> 8) & 1;
        // 52 bits from the tenth on
        const size = (low >>> 9) + (high & 0x1fffffff) * 2 ** 23;
        const x = (negative ? -size : size) * widths[layer];
        if (size < keeps[layer]) return x;
        if (layer === 0) {
          for (;;) {
            const beyond = -Math.log1p(-random()) / edges[255];
            const height = -Math.log1p(-random());
            if (height + height > beyond * beyond) {
              const far = edges[255] + beyond;
              return (Math.floor(size / 256) & 1) ? -far : far;
            }
          }
        }
        const between = (heights[layer - 1] - heights[layer]) * random() + heights[layer];
        if (between < Math.exp(-0.5 * x * x)) return x;
      }
    }

    /* Of more than two degrees of freedom: a gamma variable by Marsaglia and Tsang. */
    function chiSquared(freedom) {
      const b = freedom / 2 - 1 / 3;
      const c = 1 / Math.sqrt(9 * b);
      for (;;) {
        let x;
        let v;
        do {
          x = normal();
          v = 1 + c * x;
        } while (v <= 0);
        v = v * v * v;
        const u = random();
        if (u < 1 - 0.0331 * (x * x) * (x * x)) return 2 * (b * v);
        if (Math.log(u) < 0.5 * x * x + b * (1 - v + Math.log(v))) return 2 * (b * v);
      }
    }

    function binomial(n, p) {
      if (n === 0 || p === 0) return 0;
      const rarer = p <= 0.5 ? p : 1 - p;
      const drawn = rarer * n <= 30 ? byInversion(n, rarer) : byTriangles(n, rarer);
      return p <= 0.5 ? drawn : n - drawn;
    }

    function byInversion(n, p) {
      const q = 1 - p;
      const none = Math.exp(n * Math.log1p(-p));
      const bound = Math.floor(Math.min(n, n * p + 10 * Math.sqrt(n * p * q + 1)));
      let x = 0;
      let px = none;
      let u = random();
      while (u > px) {
        x += 1;
        if (x > bound) {
          x = 0;
          px = none;
          u = random();
        } else {
          u -= px;
          px = ((n - x + 1) * p * px) / (x * q);
        }
      }
      return x;
    }

    /* BTPE of Kachitvichyanukul and Schmeiser (1988), as NumPy writes it; p is at most 1/2. */
    function byTriangles(n, p) {
      const q = 1 - p;
      const fm = n * p + p;
      const m = Math.floor(fm);
      const p1 = Math.floor(2.195 * Math.sqrt(n * p * q) - 4.6 * q) + 0.5;
      const [xm, xl, xr] = [m + 0.5, m + 0.5 - p1, m + 0.5 + p1];
      const c = 0.134 + 20.5 / (15.3 + m);
      let a = (fm - xl) / (fm - xl * p);
      const left = a * (1 + a / 2);
      a = (xr - fm) / (xr * q);
      const right = a * (1 + a / 2);
      const p2 = p1 * (1 + 2 * c);
      const p3 = p2 + c / left;
      const p4 = p3 + c / right;
      const npq = n * p * q;
      for (;;) {
        const u = random() * p4;
        let v = random();
        if (u <= p1) return Math.floor(xm - p1 * v + u);
        let y;
        if (u <= p2) {
          const x = xl + (u - p1) / c;
          v = v * c + 1 - Math.abs(m - x + 0.5) / p1;
          if (v > 1) continue;
          y = Math.floor(x);
        } else if (u <= p3) {
          y = Math.floor(xl + Math.log(v) / left);
          if (y < 0 || v === 0) continue;
          v = v * (u - p2) * left;
        } else {
          y = Math.floor(xr - Math.log(v) / right);
          if (y > n || v === 0) continue;
          v = v * (u - p3) * right;
        }
        if (accepted(y, v, { n, p, q, m, xm, npq })) return y;
      }
    }

    return { random, normal, chiSquared, binomial, permutation };
  }

  /* A whole number from 0 to `most`. */
  function upTo(most, bits32) {
    const mask = 2 ** (32 - Math.clz32(most)) - 1;
    for (;;) {
      const drawn = (bits32() & mask) >>> 0;
      if (drawn <= most) return drawn;
    }
  }

  /* Whether a number from under the hat of BTPE is kept. */
  function accepted(y, v, { n, p, q, m, xm, npq }) {
    const k = Math.abs(y - m);
    if (!(k > 20 && k < npq / 2 - 1)) {
      const s = p / q;
      const a = s * (n + 1);
      let f = 1;
      for (let i = m + 1; i <= y; i++) f *= a / i - s;
      for (let i = y + 1; i <= m; i++) f /= a / i - s;
      return v <= f;
    }
    const rho = (k / npq) * ((k * (k / 3 + 0.625) + 0.16666666666666666) / npq + 0.5);
    const t = (-k * k) / (2 * npq);
    const height = Math.log(v);
    if (height < t - rho) return true;
    if (height > t + rho) return false;
    const [x1, f1, z, w] = [y + 1, m + 1, n + 1 - m, n - y + 1];
    const stirling = (x) => {
      const s = x * x;
      return (13680 - (462 - (132 - (99 - 140 / s) / s) / s) / s) / x / 166320;
    };
    return height <= xm * Math.log(f1 / x1) + (n - m + 0.5) * Math.log(z / w) +
      (y - m) * Math.log((w * p) / (x1 * q)) +
      stirling(f1) + stirling(z) + stirling(x1) + stirling(w);
  }

  /* The 256 layers of equal area under exp(-x^2 / 2), made once: edges, edge over 2^52, share of a
     layer that lies under the one above, and heights. */
  let layers = null;
  function ziggurat() {
    if (layers) return layers;
    const edges = new Float64Array(256);
    const AREA = 0.004928673233974658;
    const f = (x) => Math.exp(-0.5 * x * x);
    edges[255] = 3.6541528853610087963519472518;
    for (let i = 254; i > 0; i--) {
      edges[i] = Math.sqrt(-2 * Math.log(f(edges[i + 1]) + AREA / edges[i + 1]));
    }
    const bottom = AREA / f(edges[255]); // the width that the lowest layer, with the tail, would have
    const widths = edges.map((x, i) => (i === 0 ? bottom : x) * 2 ** -52);
    const keeps = edges.map((x, i) =>
      Math.floor((i === 0 ? edges[255] / bottom : i === 1 ? 0 : edges[i - 1] / x) * 2 ** 52));
    layers = { edges, widths, keeps, heights: edges.map((x, i) => (i === 0 ? 1 : f(x))) };
    return layers;
  }

  /* numpy.random.RandomState(0), the Mersenne twister, as far as shuffling needs it: it deals the
     folds of scikit-learn. */
  function legacyGenerator() {
    const state = new Uint32Array(624);
    for (let i = 1; i < 624; i++) {
      const before = state[i - 1] ^ (state[i - 1] >>> 30);
      state[i] = Math.imul(1812433253, before) + i;
    }
    let place = 624;

    function refill() {
      for (let i = 0; i < 624; i++) {
        const y = (state[i] & 0x80000000) | (state[(i + 1) % 624] & 0x7fffffff);
        state[i] = state[(i + 397) % 624] ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0);
      }
      place = 0;
    }

    function bits32() {
      if (place === 624) refill();
      let y = state[place++];
      y ^= y >>> 11;
      y ^= (y << 7) & 0x9d2c5680;
      y ^= (y << 15) & 0xefc60000;
      return (y ^ (y >>> 18)) >>> 0;
    }

    /* RandomState.shuffle, in place. */
    function shuffle(values) {
      for (let i = values.length - 1; i > 0; i--) {
        const j = upTo(i, bits32);
        [values[i], values[j]] = [values[j], values[i]];
      }
    }

    return { shuffle };
  }

  return { generator, legacyGenerator };
};
