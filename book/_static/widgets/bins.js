/*
 * Chapter 3, beside fig-c3-picture: bins against noise. Histogram binning of a sample of N scores
 * into B bins: the estimates, the true probabilities, and the bound that holds for all bins at
 * once with probability 0.95.
 */
"use strict";

widgets.define("bins", () => {
  const LAW = methods.LAWS.overconfident;
  const DELTA = 0.05;
  const SIZES = [100, 200, 500, 1000, 2000, 5000, 10000, 20000];
  const { slider } = widgets;

  function draw({ size, nBins, seed }, [panel]) {
    const n = SIZES[size];
    const bins = methods.histogram(methods.sample(LAW, n, seed), nBins).map((bin) => {
      const estimate = bin.positive / bin.count;
      const truth = (LAW.integral(bin.upper) - LAW.integral(bin.lower)) / (bin.upper - bin.lower);
      const bound = methods.binBound(bin.count, nBins, DELTA);
      return { ...bin, estimate, truth, bound, error: Math.abs(estimate - truth) };
    });
    const published = methods.publishedBound(n, nBins, DELTA);
    const bound = Math.max(...bins.map((bin) => bin.bound));

    panel.axes({ x: [0, 1], y: [0, 1], xlabel: "Score", ylabel: "Probability of class 1" });
    for (const bin of bins) {
      panel.path("blue area pale", rectangle(bin, published));
      panel.path("blue area", rectangle(bin, bin.bound));
    }
    panel.path("blue line", bins.flatMap(({ lower, upper, estimate }) => [
      [lower, estimate],
      [upper, estimate],
    ]));
    for (const { lower, upper, truth } of bins) {
      panel.path("black line thick", [[lower, truth], [upper, truth]]);
    }
    const worst = bins.reduce((a, b) => (b.error > a.error ? b : a));
    const middle = (worst.lower + worst.upper) / 2;
    panel.path("orange line thick", [[middle, worst.estimate], [middle, worst.truth]]);

    const promise =
      bound < 1
        ? `With probability 0.95 no bin is off by more than ${bound.toFixed(3)}`
        : "With so few points in a bin nothing can be promised";
    const most = published < 1 ? published.toFixed(3) : "more than 1";
    return (
      `${n} points in ${nBins} bins: the worst estimate, in bin ${bins.indexOf(worst) + 1}, is ` +
      `off by ${worst.error.toFixed(3)}. ${promise}; the published bound is ${most}.`
    );
  }

  /* The band around the estimate of a bin, as far as it lies in [0, 1]. */
  function rectangle({ lower, upper, estimate }, half) {
    const [low, high] = [Math.max(0, estimate - half), Math.min(1, estimate + half)];
    return [[lower, low], [upper, low], [upper, high], [lower, high]];
  }

  const sizes = { min: 0, max: SIZES.length - 1, step: 1, value: 3, format: (i) => SIZES[i] };
  return {
    label: "Bins against noise",
    controls: [
      slider({ name: "size", label: "Points N", ...sizes }),
      slider({ name: "nBins", label: "Bins B", min: 1, max: 50, step: 1, value: 10 }),
      ...widgets.seed(),
    ],
    legend: [
      ["blue line", "estimate"],
      ["black line thick", "truth"],
      ["orange line thick", "worst error"],
      ["blue area", "bound"],
      ["blue area pale", "published bound"],
    ],
    panels: ["Estimates, true probability and bound in each bin against the score"],
    draw,
  };
});
