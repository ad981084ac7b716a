/*
 * The front page, in place of its first figure: a forecaster whose log odds are multiplied by a
 * factor, the diagram and the losses that follow, and the same forecasts calibrated.
 */
"use strict";

widgets.define("too-sure", () => {
  const { slider } = widgets;
  const per = (p) => `${Math.round(100 * p)} %`;
  const right = methods.confidence(1);
  const SAID = [0.02, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.98];

  function draw({ factor }, [panel]) {
    const { truth, brier, log } = methods.confidence(factor);
    const range = [0, 1];
    panel.axes({ x: range, y: range, xlabel: "predicted probability", ylabel: "observed fraction" });
    panel.path("grey line", [[0, 0], [1, 1]]);
    panel.curve("blue line", (said) => truth(Math.min(Math.max(said, 1e-9), 1 - 1e-9)));
    for (const said of SAID) panel.dot("blue dot", said, truth(said), 6);
    for (const said of SAID) panel.dot("orange dot square", truth(said), truth(said), 4);
    return (
      `Of the cases predicted at ${per(0.9)}, ${per(truth(0.9))} are positive. ` +
      `Log loss ${log.toFixed(3)}, calibrated ${right.log.toFixed(3)}; ` +
      `Brier score ${brier.toFixed(3)}, calibrated ${right.brier.toFixed(3)}.`
    );
  }

  const range = { min: 0.4, max: 4, step: 0.1, value: 2.5, format: (k) => `× ${k.toFixed(1)}` };
  return {
    label: "A forecaster who is over-confident or under-confident",
    controls: [slider({ name: "factor", label: "Confidence", ...range })],
    legend: [
      ["blue dot", "uncalibrated"],
      ["orange dot square", "calibrated"],
    ],
    panels: ["Observed fraction against predicted probability"],
    draw,
  };
});
