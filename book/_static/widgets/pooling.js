/*
 * Chapter 6, beside fig-c6-csd: pooling adjacent violators step by step, on the ten labels of the
 * chapter, each of which can be changed. Left the blocks, right the cumulative sum diagram.
 */
"use strict";

widgets.define("pooling", () => {
  const LABELS = [0, 1, 0, 0, 1, 1, 0, 1, 1, 0];
  const { button, toggles } = widgets;

  /* What happens and the blocks after it, from nothing to the end. */
  function steps(labels) {
    const groups = labels.map((label, i) => ({ score: i + 1, weight: 1, positive: label }));
    const found = [{ event: "start", blocks: [] }];
    methods.pool(groups, (event, blocks) => found.push({ event, blocks: [...blocks] }));
    return found;
  }

  function draw({ labels, step }, [values, diagram]) {
    const n = labels.length;
    const { event, blocks } = steps(labels)[step];
    const read = blocks.at(-1)?.end ?? 0;

    const dot = (i) => (i <= read ? "black dot" : "grey dot hollow");

    const x = [0, n + 1];
    values.axes({ x, y: [-0.08, 1.08], xlabel: "Point", ylabel: "Probability of class 1" });
    labels.forEach((label, i) => values.dot(dot(i + 1), i + 1, label));
    for (const block of blocks) {
      const mean = methods.mean(block);
      values.path("green line thick", [[block.start + 0.6, mean], [block.end + 0.4, mean]]);
    }

    const top = Math.max(1, sums(labels).at(-1));
    const ends = [0, ...blocks.map((block) => block.end)];
    diagram.axes({ x: [0, n], y: [0, top], xlabel: "Points", ylabel: "Positives" });
    diagram.path("grey line", sums(labels).map((sum, i) => [i, sum]));
    sums(labels).forEach((sum, i) => diagram.dot(dot(i), i, sum, 3));
    diagram.path("green line thick", ends.map((end) => [end, sums(labels)[end]]));

    return `Step ${step} of ${steps(labels).length - 1}. ${told(event, labels, blocks)}`;
  }

  const sums = (labels) => labels.reduce((list, label) => [...list, list.at(-1) + label], [0]);

  function told(event, labels, blocks) {
    if (event === "start") return "No point has been read.";
    const last = blocks.at(-1);
    const happened =
      event === "new"
        ? `Point ${last.end}, label ${labels[last.end - 1]}, is a separate block.`
        : "The last two blocks were in the wrong order, or equal, and are pooled: " +
          `${last.positive} of ${last.weight} labels are 1.`;
    const means = blocks.map((block) => methods.mean(block).toFixed(3));
    return `${happened} Means of the blocks: ${means.join(", ")}.`;
  }

  const isLast = ({ labels, step }) => step === steps(labels).length - 1;
  return {
    label: "Pooling adjacent violators",
    state: { step: 0 },
    controls: [
      toggles({
        name: "labels",
        label: "Label",
        values: LABELS,
        flipped: (state) => {
          state.step = Math.min(state.step, steps(state.labels).length - 1);
        },
      }),
      button({
        label: "Back",
        useful: ({ step }) => step > 0,
        act: (state) => {
          state.step -= 1;
        },
      }),
      button({
        label: "Forward",
        useful: (state) => !isLast(state),
        act: (state) => {
          state.step += 1;
        },
      }),
      button({
        label: "To the end",
        useful: (state) => !isLast(state),
        act: (state) => {
          state.step = steps(state.labels).length - 1;
        },
      }),
      button({
        label: "From the start",
        useful: ({ step }) => step > 0,
        act: (state) => {
          state.step = 0;
        },
      }),
    ],
    legend: [
      ["black dot", "label that was read"],
      ["grey dot hollow", "label to come"],
      ["green line thick", "block: its mean; right: its chord"],
      ["grey line", "cumulative sums"],
    ],
    panels: ["Labels and the means of the blocks", "Cumulative sum diagram"],
    draw,
  };
});
