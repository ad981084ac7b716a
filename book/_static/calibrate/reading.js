/*
 * Scores and labels out of delimited text, cell by cell as calibkit.cli.tables and calibkit.cli.read
 * read them, with their messages: what the command line refuses, this page refuses in the same words.
 */
"use strict";

const readingModule = () => {
  const LONGEST_LINE = 2 ** 20;
  const LONGEST_CELL = 131072; // of Python's csv
  const BLOCK_ROWS = 4096;
  const SEPARATORS = { ";": "';'", "\t": "tab", "|": "'|'", ",": "','" };
  const MISSING = new Set(["", "na", "n/a", "nan", "<na>", "null", "none"]);
  const BINARY = new Map([["0", 0], ["1", 1], ["false", 0], ["true", 1]]);
  const ABSENT = 2;
  const LACKS = "is missing: fill it in, or pass --drop-missing to leave such rows out";
  const MAYBE_A_CLASS = "; if it is a class, name the other one with --positive VALUE";
  const NAME_POSITIVE = "name the value of class 1 with --positive VALUE";
  const SPLIT_COUNTS =
    "; if it counts the positives of a row, as clicks of impressions, write a row of label 1 with " +
    "their number and one of label 0 with the number of the others, and name the numbers with " +
    "--weight of calib report, as this page takes no weights";
  const UNIT_ROUNDING = 1e-5;
  const NAMED_ROWS = 3;
  const EXCEL_SEPARATOR = /^"?sep=(.)"?(?=[\r\n]|$)/i;
  const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
  const UNUSUAL = /^[+-]?(inf|infinity|nan)$/i;
  const OTHER_FORMATS = [
    ["PAR1", "Parquet: this page reads text; calib report reads Parquet"],
    ["{", "a file of JSON lines: this page reads text; calib report reads JSON lines"],
    ["\x1f\x8b", "compressed with gzip: unpack it; calib report reads it as it is"],
    ["PK\x03\x04", "a zip archive or a workbook: unpack it, or save the sheet as CSV"],
    ["\xd0\xcf\x11\xe0", "an old Excel workbook: save the sheet as CSV"],
    ["BZh", "compressed with bzip2: unpack it, for example bunzip2 -c FILE | calib ... -"],
    ["\xfd7zXZ", "compressed with xz: unpack it, for example xz -dc FILE | calib ... -"],
    ["\x28\xb5\x2f\xfd", "compressed with zstd: unpack it, for example zstd -dc FILE | calib ... -"],
    ["ARROW1", "an Arrow or Feather file: store it as Parquet or CSV"],
    ["SQLite format 3", "an SQLite database: export the table as CSV"],
  ];

  class InputError extends Error {}
  class BadCell extends Error {
    constructor(row, fault) {
      super(fault);
      this.row = row;
    }
  }

  /* calibkit.cli.tables.short. */
  const short = (text, most = 60) =>
    [...text].length <= most ? text : `${[...text].slice(0, most).join("")}...`;

  /* Text as Python's repr writes it. */
  function quoted(text) {
    const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
    const escapes = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", [mark]: `\\${mark}` };
    const hidden = /[\\\n\r\t'"\x00-\x1f\x7f-\xa0\xad]/g;
    const body = text.replace(hidden, (c) => {
      if (c in escapes) return escapes[c];
      if (c === "'" || c === '"') return c;
      return `\\x${c.charCodeAt(0).toString(16).padStart(2, "0")}`;
    });
    return `${mark}${body}${mark}`;
  }

  /* Text of the bytes of a file. */
  function decoded(bytes, name, encoding) {
    const head = String.fromCharCode(...bytes.subarray(0, 16));
    for (const [start, remedy] of OTHER_FORMATS) {
      if (head.startsWith(start)) throw new InputError(`${name} is ${remedy}`);
    }
    if (!encoding.includes("16") && /^(\xff\xfe|\xfe\xff)/.test(head)) {
      throw new InputError(`${name} is UTF-16, by its first bytes: pass --encoding utf-16`);
    }
    const label = encoding === "cp1252" ? "windows-1252" : encoding;
    try {
      return new TextDecoder(label, { fatal: true }).decode(bytes);
    } catch {
      if (encoding !== "utf-8") {
        throw new InputError(`${name} is not ${encoding}: pass the --encoding of the file`);
      }
      const at = firstWrong(bytes);
      let line = 1;
      for (let i = 0; i < at; i++) line += bytes[i] === 10;
      throw new InputError(
        `${name}: line ${line} is not utf-8 (byte 0x${bytes[at].toString(16).padStart(2, "0")}): ` +
        "pass the --encoding of the file, such as cp1252, latin-1 or utf-16",
      );
    }
  }

  /* The first byte that is not UTF-8: the longest part that is ends before it. */
  function firstWrong(bytes) {
    let [low, high] = [0, bytes.length];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      try {
        new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, middle), { stream: true });
        low = middle;
      } catch {
        high = middle - 1;
      }
    }
    while (low > 0 && (bytes[low - 1] & 0xc0) === 0x80) low -= 1; // of a character that was begun
    if (low > 0 && bytes[low - 1] >= 0xc0) low -= 1;
    return low;
  }

  /* calibkit.cli.tables.Delimited: the records of delimited text, {line, cells}, as Python's strict
     csv reads them. */
  function* recordsOf(text, name, separator) {
    const unreadable = (line, why) => new InputError(
      `${name}: the record that starts at line ${line} cannot be read (${why}): look for a ` +
      "quotation mark that is not closed, or that stands within a quoted cell and is not doubled");
    const n = text.length;
    let at = 0;
    let line = 1;
    while (at < n) {
      const started = line;
      const cells = [];
      for (;;) {
        let cell = "";
        if (text[at] === '"') {
          let from = at + 1;
          for (;;) {
            const mark = text.indexOf('"', from);
            if (mark < 0) throw unreadable(started, "unexpected end of data");
            cell += text.slice(from, mark);
            if (text[mark + 1] !== '"') {
              at = mark + 1;
              break;
            }
            cell += '"';
            from = mark + 2;
          }
          line += cell.split(/\r\n|\r|\n/).length - 1;
          if (at < n && text[at] !== separator && text[at] !== "\n" && text[at] !== "\r") {
            throw unreadable(started, `${quoted(separator)} expected after '"'`);
          }
        } else {
          const from = at;
          while (at < n) {
            const c = text.charCodeAt(at);
            if (c === 10 || c === 13 || text[at] === separator) break;
            at += 1;
          }
          cell = text.slice(from, at);
        }
        if (cell.length > LONGEST_CELL) {
          throw unreadable(started, `field larger than field limit (${LONGEST_CELL})`);
        }
        cells.push(cell);
        if (text[at] !== separator || at >= n) break;
        at += 1;
      }
      if (text[at] === "\r" && text[at + 1] === "\n") at += 1;
      at += 1;
      line += 1;
      yield { line: started, cells: cells.length === 1 && cells[0] === "" ? [] : cells };
    }
  }

  /* Refuse a line that is too long, or a NUL byte, whichever comes first. */
  function checkLines(text, name) {
    const zero = text.indexOf("\0");
    let long = -1;
    for (let from = 0; from < text.length && long < 0;) {
      let end = text.indexOf("\n", from);
      if (end < 0) end = text.length;
      if (end - from >= LONGEST_LINE) {
        const part = text.slice(from, end).split("\r").map((line) => line.length);
        if (part.some((length) => length >= LONGEST_LINE)) long = from;
      }
      from = end + 1;
    }
    if (zero < 0 && long < 0) return;
    const zeroFirst = zero >= 0 && (long < 0 || zero < long);
    const line = text.slice(0, zeroFirst ? zero : long).split(/\r\n|\r|\n/).length;
    const fault = zeroFirst
      ? "holds a NUL byte: the file is damaged or binary, or needs --encoding utf-16"
      : `is longer than ${LONGEST_LINE} characters: is this a table of text?`;
    throw new InputError(`${name}: line ${line} ${fault}`);
  }

  /* calibkit.cli.tables.Delimited._first_line: the text, with a blank first line if it only tells
     Excel the separator. */
  function withoutExcel(text, name, separator) {
    const excel = EXCEL_SEPARATOR.exec(text);
    if (!excel) return text;
    if (excel[1] !== separator) {
      const spelling = SEPARATORS[excel[1]] ?? quoted(excel[1]);
      throw new InputError(
        `${name}: line 1 tells Excel that the separator is ${spelling}: pass --separator ${spelling}`);
    }
    return text.slice(excel[0].length);
  }

  /* Rows of equal width, the header apart. A row of another width is the last one, and `ragged` the
     error: whoever does not find a column says more. */
  function tableOf(text, name, { separator, decimal, header }) {
    if (separator === decimal) {
      throw new InputError(
        `--decimal and --separator are both ${quoted(decimal)}: cells would be cut in two; files ` +
        "with decimal commas usually have --separator ';'");
    }
    checkLines(text, name);
    const rows = [];
    const lines = [];
    let width = null;
    let ragged = null;
    for (const { line, cells: read } of recordsOf(withoutExcel(text, name, separator), name, separator)) {
      const cells = read.length === 0 && width === 1 ? [""] : read;
      if (cells.length === 0) continue;
      width ??= cells.length;
      if (cells.length !== width) {
        const found = short(cells.join(separator));
        ragged = new InputError(
          `${name}: line ${line} has ${cells.length} cells where the first line has ${width}; ` +
          `found ${quoted(found)}: quote cells that hold the separator, or say --separator and ` +
          `--decimal${hintAtSeparator(rows[0], found)}`);
        rows.push(cells);
        break;
      }
      rows.push(cells);
      lines.push(line);
    }
    if (rows.length === 0) throw new InputError(`${name} is empty: it must have a header and rows`);
    const first = rows[0];
    const title = first.map((cell) => cell.trim());
    if (!header) return { name, names: first.map((_, i) => String(i + 1)), title, rows, lines, ragged };
    if (first.every((cell) => isNumber(cell))) {
      throw new InputError(
        `${name}: the first line holds numbers only (${short(first.join(separator))}): pass ` +
        "--no-header if it is a row, else give the columns names that are no numbers");
    }
    return { name, names: title, title, rows: rows.slice(1), lines: lines.slice(1), ragged };
  }

  const isNumber = (cell) => {
    const plain = cell.trim().replace(/(\d)_(?=\d)/g, "$1");
    return NUMBER.test(plain) || UNUSUAL.test(plain);
  };

  /* calibkit.cli.read._number_or_nan: number of a cell as Python's float reads it, or null. */
  function float(cell) {
    const plain = cell.trim();
    if (NUMBER.test(plain)) return Number(plain);
    if (!UNUSUAL.test(plain)) return null;
    if (/nan/i.test(plain)) return NaN;
    return plain.startsWith("-") ? -Infinity : Infinity;
  }

  /* calibkit.cli.tables.Table._hint_at_separator. */
  function hintAtSeparator(title, row) {
    const mark = title.length === 1 && Object.keys(SEPARATORS).find((c) => title[0].includes(c));
    if (!mark) return "";
    const decimal = /\d,\d/.test(row) ? " --decimal ," : "";
    return `; if it is separated by ${SEPARATORS[mark]}, pass --separator ${SEPARATORS[mark]}${decimal}`;
  }

  /* calibkit.cli.tables.Table.find: index of the column of this name, or number from 1. */
  function find(table, wanted, flag) {
    const found = table.names.flatMap((name, i) => (name === wanted ? [i] : []));
    if (found.length === 1) return found[0];
    if (found.length > 1) {
      throw new InputError(
        `${table.name}: the header has ${quoted(wanted)} more than once, as columns ` +
        `${found.map((i) => i + 1).join(", ")}: pass ${flag} with a number`);
    }
    const number = Number(wanted);
    if (/^\d+$/.test(wanted) && number >= 1 && number <= table.names.length) return number - 1;
    const listed = table.title.slice(0, 20).map((name) => quoted(short(name))).join(", ");
    const more = table.title.length > 20 ? ` and ${table.title.length - 20} more` : "";
    const hint = hintAtSeparator(table.title, (table.rows[0] ?? []).join(","));
    throw new InputError(
      `${table.name} has no column ${quoted(wanted)}; its columns are ${listed}${more}: pass ` +
      `${flag} with one of these, or with a number from 1 to ${table.names.length}${hint}`);
  }

  const refuse = (cells, isWrong, fault) => {
    const row = cells.findIndex(isWrong);
    if (row >= 0) throw new BadCell(row, fault);
  };

  function scoresOf(cells, decimal, dropMissing) {
    // both are fine for float() and wrong in a table
    refuse(cells, (cell) => /[_\u0080-\uffff]/.test(cell), "is no number: clean it");
    let read = cells;
    if (decimal === ",") {
      const fault = "has a point, while --decimal says that the decimal mark is a comma";
      refuse(cells, (cell) => cell.includes("."), fault);
      read = cells.map((cell) => cell.replaceAll(",", "."));
    }
    const values = Float64Array.from(read, number);
    const large = values.findIndex((v) => v === Infinity || v === -Infinity);
    if (large >= 0) throw new BadCell(large, "is not finite, or too large for a float");
    const absent = Array.from(values, Number.isNaN);
    if (!dropMissing) refuse(absent, Boolean, LACKS);
    return { values, absent };
  }

  function number(cell, row) {
    const value = float(cell);
    if (value !== null) return value;
    if (MISSING.has(cell.trim().toLowerCase())) return NaN;
    let remedy = "clean it, or name the column of the numbers";
    if (cell.trim().endsWith("%")) remedy = "write percentages without the sign, divided by 100";
    else if (/[;\t|]/.test(cell)) remedy = "pass the --separator of the file";
    else if (cell.includes(",")) {
      remedy = "pass --decimal , if the comma is the decimal mark (and then --separator, often " +
        "';'); if it parts thousands, write numbers without it";
    }
    throw new BadCell(row, `is no number: ${remedy}`);
  }

  /* calibkit.cli.read._plain: a label without blanks; whole numbers and truth as 1 is written. */
  function plain(cell) {
    const value = cell.trim();
    const [, whole] = /^(-?\d+)\.0+$/.exec(value) ?? [];
    if (whole !== undefined) return whole;
    const key = value.toLowerCase();
    return BINARY.has(key) ? String(BINARY.get(key)) : value;
  }

  /* calibkit.cli.read._Labels: from cells to classes; remembers the values that it has seen. */
  class Labels {
    constructor(positive) {
      this.positive = positive === null ? null : plain(positive);
      this.codes = new Map();
      this.negative = null;
    }

    parse(cells, dropMissing) {
      const values = new Uint8Array(cells.length);
      cells.forEach((cell, row) => {
        if (!this.codes.has(cell)) {
          const code = this.#code(this.positive === null ? cell.trim() : plain(cell));
          if (typeof code === "string") throw new BadCell(row, code);
          this.codes.set(cell, code);
        }
        values[row] = this.codes.get(cell);
      });
      const absent = Array.from(values, (value) => value === ABSENT);
      if (!dropMissing) refuse(absent, Boolean, LACKS + MAYBE_A_CLASS);
      return { values, absent };
    }

    /* Class of a value, or what is wrong with it. */
    #code(value) {
      if (value === this.positive) return 1;
      const key = value.toLowerCase();
      if (MISSING.has(key)) return ABSENT;
      if (this.positive !== null) {
        this.negative ||= value;
        if (value === this.negative) return 0;
        return `is a third class beside ${quoted(this.positive)} (--positive) and ` +
          `${quoted(this.negative)}: leave its rows out of the file, or write one value for all ` +
          "that is not positive";
      }
      if (BINARY.has(key)) return BINARY.get(key);
      const read = float(value);
      if (read === 0 || read === 1) return read;
      const mayCount = /^\d+$/.test(value);
      return `is not 0/1 or true/false: ${NAME_POSITIVE}${mayCount ? SPLIT_COUNTS : ""}`;
    }

    checkPositive(table, name) {
      if (this.positive === null || [...this.codes.keys()].map(plain).includes(this.positive)) return;
      const found = this.negative === null ? "no value" : quoted(this.negative);
      throw new InputError(
        `${table.name}: column ${quoted(name)} never holds the --positive value ` +
        `${quoted(this.positive)}; it holds ${found}`);
    }
  }

  /* calibkit.cli.read.read_scores: {scores, labels, kept, notes, names, table}. */
  function readScores(text, name, form) {
    const table = tableOf(text, name, form);
    const columns = { "--score": find(table, form.score, "--score") };
    columns["--label"] = find(table, form.label, "--label");
    if (columns["--label"] === columns["--score"]) {
      throw new InputError(
        `${name}: --score and --label both name the column ` +
        `${quoted(table.names[columns["--score"]])}: they must differ`);
    }
    if (table.ragged) throw table.ragged;
    const labels = new Labels(form.positive || null);
    const parsers = {
      "--score": (cells) => scoresOf(cells, form.decimal, form.dropMissing),
      "--label": (cells) => labels.parse(cells, form.dropMissing),
    };
    const n = table.rows.length;
    const all = { "--score": new Float64Array(n), "--label": new Uint8Array(n) };
    const kept = new Uint8Array(n).fill(1);
    for (let start = 0; start < n; start += BLOCK_ROWS) {
      const rows = table.rows.slice(start, start + BLOCK_ROWS);
      for (const [flag, column] of Object.entries(columns)) {
        const cells = rows.map((row) => row[column]);
        try {
          const { values, absent } = parsers[flag](cells);
          all[flag].set(values, start);
          absent.forEach((isAbsent, i) => {
            if (isAbsent) kept[start + i] = 0;
          });
        } catch (bad) {
          if (!(bad instanceof BadCell)) throw bad;
          throw new InputError(
            `${name}: line ${table.lines[start + bad.row]}, column ` +
            `${quoted(table.names[column])}: found ${quoted(short(cells[bad.row]))}, which ` +
            `${bad.message}`);
        }
      }
    }
    if (n === 0) {
      throw new InputError(`${name} has a header and no rows: nothing can be computed`);
    }
    const names = { score: table.names[columns["--score"]], label: table.names[columns["--label"]] };
    labels.checkPositive(table, names.label);
    const left = kept.reduce((sum, keep) => sum + keep, 0);
    if (left === 0) {
      throw new InputError(`${name}: a value is missing in each of its ${n} rows: no row is left`);
    }
    const { scores, notes } = withoutRounding(all["--score"], table.lines, kept);
    const read = {
      scores,
      labels: all["--label"].filter((_, i) => kept[i]),
      kept, names, table, notes: [],
    };
    if (left < n) {
      const rows = n - left === 1 ? "1 row" : `${n - left} rows`;
      read.notes.push(`${rows} of ${n} with missing values were dropped, as --drop-missing asks`);
    }
    read.notes.push(...notes);
    const positives = read.labels.reduce((sum, label) => sum + label, 0);
    if (positives === 0 || positives === left) {
      throw new InputError(
        `${name}: column ${quoted(names.label)} holds one class only (${read.labels[0]}, in ` +
        `${left} rows that count): rows of both classes are needed`);
    }
    return read;
  }

  /* calibkit.cli.read.Rounding: the scores of the rows that are kept, those clipped that rounding
     brought beyond [0, 1], and a note on these. */
  function withoutRounding(all, lines, kept) {
    const rows = Array.from(kept.keys()).filter((i) => kept[i]);
    const scores = all.filter((_, i) => kept[i]);
    const [lowest, highest] = scores.reduce(
      ([low, high], p) => [Math.min(low, p), Math.max(high, p)], [Infinity, -Infinity]);
    const isTiny = lowest < 0 && highest <= UNIT_ROUNDING;
    const areFar = lowest < -UNIT_ROUNDING || highest > 1 + UNIT_ROUNDING;
    const beyond = rows.filter((i) => all[i] < 0 || all[i] > 1);
    if (isTiny || areFar || beyond.length === 0) return { scores, notes: [] };
    const most = special.general(Math.max(-lowest, highest - 1), 2);
    const named = beyond.slice(0, NAMED_ROWS).map((i) => `line ${lines[i]}`).join(", ");
    const more = beyond.length - NAMED_ROWS;
    const note =
      `${beyond.length === 1 ? "1 score lies" : `${beyond.length} scores lie`} beyond [0, 1] by ` +
      `${most} at most (${named}${more > 0 ? ` and ${more} more` : ""}): taken for rounding, and ` +
      "clipped";
    return { scores: scores.map((p) => Math.min(Math.max(p, 0), 1)), notes: [note] };
  }

  return { InputError, decoded, tableOf, readScores };
};
