/*
 * What else the text of a file may mean, and which value may be class 1. The page offers these as
 * buttons: the reader chooses, and nothing is guessed.
 */
"use strict";

const offersModule = () => {
  const SEPARATORS = [",", ";", "\t", "|"];
  const DECIMAL_COMMA = /^\s*[+-]?\d*,\d+\s*$/;
  const SAMPLED_ROWS = 200; // rows in which decimal commas are looked for
  const SHOWN_COLUMNS = 3;
  const ABSENT = new Set(["", "na", "n/a", "nan", "<na>", "null", "none"]);
  const BINARY = new Set(["0", "1", "0.0", "1.0", "false", "true"]);
  const KEYS = ["separator", "decimal", "encoding", "header"]; // of a form, those of a reading

  /* The text with the encoding of the form, else with the encoding that its first bytes suggest. */
  function decoded({ bytes, name, form }) {
    const isWide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
    for (const encoding of [form.encoding, isWide ? "utf-16" : "cp1252"]) {
      try {
        return { encoding, text: reading.decoded(bytes, name, encoding) };
      } catch (error) {
        if (!(error instanceof reading.InputError)) throw error;
      }
    }
    return null;
  }

  /* The table of a text, or null if it has none of two columns or more. */
  function tableOf(text, name, form) {
    try {
      const table = reading.tableOf(text, name, form);
      return table.names.length > 1 && table.rows.length > 0 ? table : null;
    } catch (error) {
      if (error instanceof reading.InputError) return null;
      throw error;
    }
  }

  /* Forms, other than the chosen one, that give the text two columns or more; with a first row. */
  function readings({ bytes, name, form }) {
    const { encoding, text } = decoded({ bytes, name, form }) ?? {};
    if (text === undefined) return [];
    const found = [];
    for (const separator of SEPARATORS) {
      const points = { ...form, separator, decimal: ".", encoding };
      const header = form.header && tableOf(text, name, points) !== null;
      const table = tableOf(text, name, { ...points, header });
      if (table === null) continue;
      const sampled = table.rows.slice(0, SAMPLED_ROWS);
      const hasCommas = sampled.some((row) => row.some((cell) => DECIMAL_COMMA.test(cell)));
      for (const decimal of hasCommas && separator !== "," ? [",", "."] : ["."]) {
        found.push({ separator, decimal, encoding, header, example: exampleOf(table, decimal) });
      }
    }
    return found.filter((read) => KEYS.some((key) => read[key] !== form[key]));
  }

  /* The cells of the first row as they would be read: numbers as numbers, words in quotes. */
  function exampleOf({ names, rows }, decimal) {
    return names.slice(0, SHOWN_COLUMNS).map((name, i) => {
      const cell = rows[0][i].trim();
      const number = decimal === "," ? cell.replace(",", ".") : cell;
      return `${name} = ${/^[+-]?[\d.]+(e[+-]?\d+)?$/i.test(number) ? number : `"${cell}"`}`;
    }).join(", ");
  }

  /* The two values of a column if it has two, and whether they are 0/1 or false/true. */
  function values({ bytes, name, form }) {
    const table = reading.tableOf(reading.decoded(bytes, name, form.encoding), name, form);
    return table.names.map((_, column) => {
      const found = new Set();
      for (const row of table.rows) {
        const cell = row[column].trim();
        if (!ABSENT.has(cell.toLowerCase())) found.add(cell);
        if (found.size > 2) return { two: null, binary: false };
      }
      const binary = [...found].every((value) => BINARY.has(value.toLowerCase()));
      return { two: found.size === 2 ? [...found] : null, binary };
    });
  }

  return { readings, values };
};
