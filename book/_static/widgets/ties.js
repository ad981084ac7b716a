/*
 * Chapter 2, beside fig-c2-ties: a calibrated forecaster, a share of whose predictions is one and
 * the same number, judged by the ECE under both policies for ties. The others are spread evenly.
 */
"use strict";

widgets.define("ties", () => {
  const VALUE = 0.4;
  const SIZES = [100, 300, 1000, 3000];
  const N_BINS = 10;
  const { slider } = widgets;

  /* Predictions evenly spread over (0, 2 VALUE), labels drawn with these probabilities. */
  function forecasts(n, seed) {
    const random = methods.generator(seed);
    return Array.from({ length: n }, (_, i) => {
      const score = (2 * VALUE * (i + 0.5)) / n;
      return { score, label: random() < score ? 1 : 0 };
    });
  }

  /* The middle share of the predictions becomes their mean, and so stays calibrated. */
  function tied(points, share) {
    const n = points.length;
    const tail = Math.round((n * (1 - share)) / 2);
    return points.map(({ score, label }, i) => {
      return { score: tail <= i && i < n - tail ? VALUE : score, label };
    });
  }

  const measure = (points, ties) => methods.reliability(points, N_BINS, ties);

  function draw({ percent, size, seed }, [diagram, growth]) {
    const share = percent / 100;
    const points = forecasts(SIZES[size], seed);
    const [group, label] = ["group", "label"].map((ties) => measure(tied(points, share), ties));
    const x = [0, 1];

    diagram.axes({ x, y: x, xlabel: "Predicted probability", ylabel: "Observed fraction" });
    diagram.path("grey line", [[0, 0], [1, 1]]);
    for (const bin of label.curve) diagram.dot("orange dot square", bin.predicted, bin.observed);
    for (const bin of group.curve) diagram.dot("blue dot", bin.predicted, bin.observed);

    const y = [0, 0.55];
    growth.axes({ x, y, xlabel: "Fraction of ties", ylabel: "ECE" });
    growth.curve("grey line", (t) => t * 2 * VALUE * (1 - VALUE), 1);
    for (const [ties, look] of [["label", "orange line dashed"], ["group", "blue line"]]) {
      growth.curve(look, (t) => measure(tied(points, t), ties).ece, 40);
    }
    growth.dot("orange dot square", share, label.ece, 5);
    growth.dot("blue dot", share, group.ece, 5);

    return (
      `${percent} % of ${points.length} predictions are ${VALUE}. ` +
      `Kept together: ECE ${group.ece.toFixed(3)}, MCE ${group.mce.toFixed(3)}. ` +
      `Sorted by label: ECE ${label.ece.toFixed(3)}, MCE ${label.mce.toFixed(3)}. ` +
      "The forecaster is calibrated."
    );
  }

  const percents = { min: 0, max: 100, step: 1, value: 75, format: (share) => `${share} %` };
  const sizes = { min: 0, max: SIZES.length - 1, step: 1, value: 2, format: (i) => SIZES[i] };
  return {
    label: "Ties and the ECE",
    controls: [
      slider({ name: "percent", label: "Fraction of ties", ...percents }),
      slider({ name: "size", label: "Cases n", ...sizes }),
      ...widgets.seed(),
    ],
    legend: [
      ["blue dot", "ties kept together"],
      ["orange dot square", "ties sorted by label"],
      ["grey line", "left: calibrated; right: theory"],
    ],
    panels: ["Reliability diagram under both policies", "ECE against the fraction of ties"],
    draw,
  };
});
