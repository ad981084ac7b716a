/*
 * Chapter 10, beside fig-c13-merging: the near-isotonic path of the sample of that figure, at the
 * price lambda that the slider sets. Falls that are left are drawn in orange.
 */
"use strict";

widgets.define("path", (sample) => {
  const points = sample.map(([score, label]) => ({ score, label }));
  const groups = methods.groupTies(points);
  const path = methods.nearIsotonicPath(groups);
  const last = path.lambdas.at(-1);
  const { slider, button } = widgets;

  function draw({ lambda }, [panel]) {
    const bins = path.binsAt(lambda);
    const falls = bins.slice(1).filter((bin, i) => bins[i].value > bin.value).length;

    panel.axes({ x: [0, 1], y: [-0.04, 1.04], xlabel: "Score", ylabel: "Probability of class 1" });
    panel.curve("band line", methods.LAWS.wave.pi);
    for (const { score, label } of points) panel.dot("black dot pale", score, label, 2.5);
    const color = lambda < last ? "purple" : "green";
    const ends = ({ start, end }) => [groups[start].score, groups[end - 1].score];
    bins.forEach((bin, i) => {
      const [from, to] = ends(bin);
      panel.path(`${color} line thick`, [[from, bin.value], [to, bin.value]]);
      panel.dot(`${color} dot`, from, bin.value, 2.5);
      panel.dot(`${color} dot`, to, bin.value, 2.5);
      const next = bins[i + 1];
      if (next && next.value < bin.value) {
        panel.path("orange line dashed", [[to, bin.value], [ends(next)[0], next.value]]);
      }
    });

    const later = path.lambdas.find((breakpoint) => breakpoint > lambda);
    const outlook = later
      ? `The next bins merge at λ = ${later.toFixed(3)}.`
      : "This is isotonic regression: no price changes it any more.";
    const fell = falls === 1 ? "1 fall" : `${falls} falls`;
    return `λ = ${lambda.toFixed(3)}: ${bins.length} bins, ${fell}. ${outlook}`;
  }

  const lambdas = { min: 0, max: last, step: "any", value: 0, format: (l) => l.toFixed(2) };
  return {
    label: "The near-isotonic path",
    controls: [
      slider({ name: "lambda", label: "Price λ", ...lambdas }),
      button({
        label: "Merge before",
        useful: ({ lambda }) => lambda > 0,
        act: (state) => {
          state.lambda = path.lambdas.findLast((breakpoint) => breakpoint < state.lambda);
        },
      }),
      button({
        label: "Next merge",
        useful: ({ lambda }) => lambda < last,
        act: (state) => {
          state.lambda = path.lambdas.find((breakpoint) => breakpoint > state.lambda);
        },
      }),
    ],
    legend: [
      ["purple line thick", "bins"],
      ["orange line dashed", "falls"],
      ["band line", "truth"],
      ["green line thick", "isotonic regression, at the end"],
      ["black dot pale", "labels"],
    ],
    panels: ["The fit at the price lambda against the score"],
    draw,
  };
});
