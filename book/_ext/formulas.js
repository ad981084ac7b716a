// MathJax without a browser: TeX in, a drawing (SVG) with MathML for screen readers out.
const adaptor = MathJax._.adaptors.liteAdaptor.liteAdaptor();
const handler = MathJax._.handlers.html_ts.RegisterHTMLHandler(adaptor);
MathJax._.a11y["assistive-mml"].AssistiveMmlHandler(handler);

const page = MathJax._.mathjax.mathjax.document("", {
  InputJax: new MathJax._.input.tex_ts.TeX({
    packages: ["base", "ams"],
    formatError: (tex, error) => { throw error; },
  }),
  OutputJax: new MathJax._.output.svg_ts.SVG({
    font: new MathJax._.output.svg.fonts.tex_ts.TeXFont(),
    fontCache: "none",
  }),
});

function typeset(tex, display) {
  try {
    return { drawing: adaptor.outerHTML(page.convert(tex, { display })), error: null };
  } catch (error) {
    return { drawing: null, error: error.message };
  }
}
