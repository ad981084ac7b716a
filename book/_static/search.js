// Ranking: BM25 over the words of all pages (WORDS, words.js), with a weight for each field of a page.

const search = (() => {
  const WEIGHTS = { title: 6, subjects: 4, headings: 2, prose: 1 };
  const SATURATION = 1.2; // the k of BM25: how soon more of the same word counts no more
  const LENGTH = 0.6; // its b: how much a long text is held against a page
  const SYNONYM = 0.6; // what a word counts that the reader did not type
  const NAMED = 12; // added where a title or a subject is what was typed
  const FRONT = 1.25; // pages without a number answer first; chapters have the details
  const OBJECT = 0.7; // classes and functions come after the pages that explain them
  const INTERNAL = 0.3; // what only our own checks call comes last
  const SHOWN = 30;
  const LISTS = /(?:indices|references|changelog)$/; // they hold all words and answer nothing

  const stemmer = new Stemmer();
  const ignored = new Set([...stopwords, ..."how do i my what which should can you your one use".split(" ")]);
  const stems = new Map();

  const words = (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

  function stem(word) {
    if (!stems.has(word)) stems.set(word, stemmer.stemWord(word));
    return stems.get(word);
  }

  // The stems of a text; of one that has only words such as "which", all of them.
  function terms(text) {
    const all = words(text);
    const telling = all.filter((word) => !ignored.has(word));
    return (telling.length ? telling : all).map(stem);
  }

  const plain = (text) => words(text).filter((word) => !/^\d+$/.test(word)).map(stem).join(" ");

  // A document: where it is, its fields, and how often each has each stem.
  function documentOf({ page, anchor, title, kind, subjects, headings, prose }) {
    const texts = { title, subjects: subjects.join(" "), headings: headings.join(" "), prose };
    const fields = Object.entries(texts).map(([name, text]) => {
      const counts = new Map();
      const all = words(text).map(stem);
      for (const one of all) counts.set(one, (counts.get(one) ?? 0) + 1);
      return { name, counts, length: all.length };
    });
    return { page, anchor, title, kind, fields, names: [title, ...subjects].map(plain) };
  }

  function* documents(pages) {
    for (const [page, { subjects, sections, objects }] of Object.entries(pages)) {
      if (sections.length) { // a page of an object has none: the object stands for it
        const [, title] = sections[0];
        const headings = sections.slice(1).map(([, heading]) => heading);
        const prose = sections.map(([, , text]) => text).join(" ");
        yield documentOf({ page, anchor: "", title, kind: "", subjects, headings, prose });
      }
      for (const [anchor, name, summary] of objects) {
        const spelled = name.split(".").pop().replace(/([a-z])([A-Z])/g, "$1 $2").replaceAll("_", " ");
        yield documentOf({
          page, anchor, title: name, kind: "interface", subjects: [spelled, name.split(".").pop()],
          headings: [], prose: summary,
        });
      }
    }
  }

  let index = null;

  function makeIndex() {
    const all = [...documents(WORDS.pages)];
    const mean = {};
    for (const { fields } of all)
      for (const { name, length } of fields) mean[name] = (mean[name] ?? 0) + length / all.length;
    const having = new Map();
    for (const { fields } of all) {
      const seen = new Set(fields.flatMap(({ counts }) => [...counts.keys()]));
      for (const one of seen) having.set(one, (having.get(one) ?? 0) + 1);
    }
    return { all, mean, having };
  }

  const rarity = (term) => {
    const n = index.having.get(term) ?? 0;
    return Math.log(1 + (index.all.length - n + 0.5) / (n + 0.5));
  };

  function bm25(term, { fields }) {
    let count = 0;
    for (const { name, counts, length } of fields) {
      const longer = 1 - LENGTH + LENGTH * length / (index.mean[name] || 1);
      count += WEIGHTS[name] * (counts.get(term) ?? 0) / longer;
    }
    return rarity(term) * count / (SATURATION + count);
  }

  // Phrases that mean the same as a part of the query: for each, its stems.
  function synonyms(query) {
    const typed = ` ${plain(query)} `;
    const groups = WORDS.synonyms.filter((group) => group.some((one) => typed.includes(` ${plain(one)} `)));
    return groups.flatMap((group) => group.filter((one) => !typed.includes(` ${plain(one)} `)));
  }

  // How many documents have a word of the query, and the first of them, the best first.
  function rank(query) {
    index ??= makeIndex();
    const typed = [...new Set(terms(query))];
    const others = synonyms(query);
    const mean = (list, one) => list.reduce((sum, term) => sum + bm25(term, one), 0) / (list.length || 1);
    const score = (one) => {
      const found = typed.filter((term) => bm25(term, one) > 0).length;
      const own = typed.reduce((sum, term) => sum + bm25(term, one), 0) * (found / typed.length);
      const other = Math.max(0, ...others.map((phrase) => {
        const list = terms(phrase);
        return list.every((term) => bm25(term, one) > 0) ? mean(list, one) : 0;
      }));
      const isInternal = one.title.includes(".references.");
      const isSpelled = one.kind && one.title.endsWith(`.${query}`);
      const isNamed = one.names.includes(plain(query)) && !isInternal;
      const named = isNamed ? NAMED * (isSpelled ? 2 : 1) : 0;
      const alike = others.some((phrase) => one.names.includes(plain(phrase))) ? NAMED : 0;
      const front = one.kind ? OBJECT : one.page.startsWith("book/") ? FRONT : 1;
      const list = LISTS.test(one.page) ? 0.5 : isInternal ? INTERNAL : 1;
      return (own + named + SYNONYM * (other * typed.length + alike)) * front * list;
    };
    const ranked = index.all.map((one) => ({ ...one, score: score(one) }));
    const sought = [...typed, ...others.flatMap(terms)];
    const found = ranked.filter((one) => one.score > 0).sort((a, b) => b.score - a.score);
    const shown = found.slice(0, SHOWN).map(({ page, anchor, title, kind }) =>
      ({ page, title, kind, ...place(page, anchor, sought) }));
    return { count: found.length, shown };
  }

  // Where on the page: the section with most of the stems, and what it says.
  function place(page, anchor, sought) {
    const { sections, objects } = WORDS.pages[page];
    if (anchor) return { anchor, text: objects.find(([name]) => name === anchor)[2] };
    const points = sections.map(([, title, text], i) => {
      const inTitle = i ? new Set(words(title).map(stem)) : new Set();
      const inText = new Set(words(text).map(stem));
      return sought.reduce(
        (sum, term, k) => sum + (2 * inTitle.has(term) + inText.has(term)) * rarity(term) / (1 + k), 0);
    });
    const best = points.indexOf(Math.max(...points));
    return { anchor: best ? sections[best][0] : "", text: sections[best][2] };
  }

  // Whether a word of a text is one that was looked for.
  const looksFor = (query) => {
    const sought = new Set([...terms(query), ...synonyms(query).flatMap(terms)]);
    return (word) => sought.has(stem(word.toLowerCase()));
  };

  return { rank, looksFor };
})();
