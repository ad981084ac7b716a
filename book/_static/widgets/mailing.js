/*
 * Chapter 22, beside fig-c10-price: threshold, cost and calibration. A letter costs c, every gift
 * is a, so letters should go where r > c/a; the log odds of the estimate are off by a constant.
 */
"use strict";

widgets.define("mailing", () => {
  const { pi } = methods.LAWS.rare;
  const SHIFTS = Array.from({ length: 61 }, (_, i) => (i - 30) / 10);
  const { slider, signed } = widgets;

  function draw({ shift, gift, cost }, [letters, price]) {
    const now = methods.mailing(gift, cost, shift);
    const earned = (y) => gift * pi(y) - cost;
    const y = [Math.min(-cost, -0.2) * 1.1, Math.max(earned(1), 0.2) * 1.1];

    letters.axes({ x: [0, 1], y, xlabel: "Score", ylabel: "Dollars per letter" });
    letters.path("blue area", under(earned, Math.max(now.best, now.cut), 1));
    letters.path("orange area", under(earned, now.best, now.cut));
    letters.path("grey line", [[0, 0], [1, 0]]);
    letters.curve("black line", earned);
    letters.path("black line dashed", [[now.best, y[0]], [now.best, y[1]]]);
    letters.path("blue line thick", [[now.cut, y[0]], [now.cut, y[1]]]);

    const all = SHIFTS.map((s) => ({ s, ...methods.mailing(gift, cost, s) }));
    const top = 2.5 * Math.max(...all.map(({ loss }) => loss));
    const shown = all.filter(({ bound }) => bound <= top);
    const axes = { xlabel: "Shift of the log odds", ylabel: "Dollars per person" };
    price.axes({ x: [-3, 3], y: [0, top], ...axes });
    price.path("grey line dashed", shown.map(({ s, bound }) => [s, bound]));
    price.path("orange line", all.map(({ s, loss }) => [s, loss]));
    price.dot("orange dot", shift, now.loss, 5);

    const per = (value) => signed(value, 4);
    const share = (cut) => `${(100 * (1 - cut)).toFixed(0)} %`;
    return (
      `A letter pays where r > c/a = ${now.threshold.toFixed(3)}, for ${share(now.best)} of the ` +
      `people. With the log odds shifted by ${signed(shift, 1)} letters go to ` +
      `${share(now.cut)}. Profit ${per(now.profit)} dollars per person; ${per(now.loss)} are ` +
      `lost, at most ${per(now.bound)} by the theorem.`
    );
  }

  /* The region between a function and zero. */
  function under(f, from, to, n = 100) {
    const at = (i) => from + ((to - from) * i) / n;
    const upper = Array.from({ length: n + 1 }, (_, i) => [at(i), f(at(i))]);
    return [[from, 0], ...upper, [to, 0]];
  }

  const dollars = (value) => `${value.toFixed(2)} dollars`;
  const shifts = { min: -3, max: 3, step: 0.1, value: 0.5, format: (s) => signed(s, 1) };
  const gifts = { min: 5, max: 50, step: 1, value: 15, format: dollars };
  const costs = { min: 0.1, max: 2, step: 0.02, value: 0.68, format: dollars };
  return {
    label: "Threshold, cost and calibration",
    controls: [
      slider({ name: "shift", label: "Shift of the log odds", ...shifts }),
      slider({ name: "gift", label: "Gift a", ...gifts }),
      slider({ name: "cost", label: "Letter cost c", ...costs }),
    ],
    legend: [
      ["black line", "profit of a letter"],
      ["black line dashed", "best threshold"],
      ["blue line thick", "threshold of the estimate"],
      ["blue area", "gain"],
      ["orange area", "loss"],
      ["grey line dashed", "bound of the theorem"],
    ],
    panels: ["Dollars per letter against the score", "Loss and bound against the shift"],
    draw,
  };
});
