/*
 * Chapter 13, beside fig-c19-pair: p0 and p1 of a new object whose score is dragged, on the sample
 * of that figure, with the level sets that it falls into. Merged for log loss.
 */
"use strict";

widgets.define("venn-abers", (sample) => {
  const points = sample.map(([score, label]) => ({ score, label }));
  const { slider } = widgets;

  /* Both probabilities as steps: they are constant between neighbouring scores. */
  const scores = methods.groupTies(points).map((group) => group.score);
  const ends = [0, ...scores, 1];
  const steps = ends.slice(1).map((to, i) => {
    const [lower, upper] = methods.vennAbers(points, (ends[i] + to) / 2);
    return { from: ends[i], to, p0: lower.p, p1: upper.p };
  });
  const staircase = (value) =>
    steps.flatMap(({ from, to, ...p }) => [[from, p[value]], [to, p[value]]]);

  function draw({ score }, [panel]) {
    const [lower, upper] = methods.vennAbers(points, score);
    const [x, y] = [[0, 1], [-0.04, 1.04]];
    panel.axes({ x, y, xlabel: "Score y", ylabel: "Probability of class 1" });
    panel.curve("band line", methods.LAWS.underconfident.pi);
    panel.path("brown area", [...staircase("p0"), ...staircase("p1").reverse()]);
    for (const point of points) panel.dot("black dot pale", point.score, point.label, 2.5);
    panel.path("grey line", [[score, y[0]], [score, y[1]]]);
    for (const [set, look] of [[lower, "blue"], [upper, "orange"]]) {
      panel.path(`${look} line thick`, [[set.first, set.p], [set.last, set.p]]);
      panel.dot(`${look} dot ${look === "blue" ? "" : "square"}`, score, set.p, 5);
    }
    panel.dot("black dot handle", score, y[0], 7);

    const told = (set, label) => {
      const others = set.weight - 1;
      const positive = set.positive - label;
      const set_ = others === 1 ? "1 point" : `${others} points`;
      return (
        `With label ${label} the new object shares its level set with ${set_}, ${positive} ` +
        `positive: p${"₀₁"[label]} = ${set.positive}/${set.weight} = ${set.p.toFixed(3)}.`
      );
    };
    return (
      `Score ${score.toFixed(3)}. ${told(lower, 0)} ${told(upper, 1)} ` +
      `Merged: ${methods.merged(lower.p, upper.p).toFixed(3)}.`
    );
  }

  const range = { min: 0, max: 1, step: 0.005, value: 0.46, format: (y) => y.toFixed(3) };
  return {
    label: "Venn-Abers prediction of a new object",
    controls: [slider({ name: "score", label: "Score y of the new object", ...range })],
    legend: [
      ["black dot", "new object: drag it"],
      ["orange dot square", "p₁ and its level set"],
      ["blue dot", "p₀ and its level set"],
      ["brown area", "from p₀ to p₁ at any score"],
      ["band line", "truth"],
    ],
    panels: ["Both probabilities of the new object among the calibration points"],
    drag: "score",
    draw,
  };
});
