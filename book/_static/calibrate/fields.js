/*
 * Messages of the command line in the words of the form: fields and buttons in the place of flags.
 */
"use strict";

const fieldsModule = () => {
  // in this order: the longer phrases come first
  const WORDS = [
    [/pass --drop-missing to leave such rows out/g, "leave such rows out, as a button below does"],
    [/as --drop-missing asks/g, "as you asked"],
    [/ with --positive VALUE/g, " in the field \u201cClass 1\u201d"],
    [/the --positive value/g, "the value of class 1"],
    [/ \(--positive\)/g, " (class 1)"],
    [/, and name the numbers with --weight/g, ", and take calib report, which has weights"],
    [/ \(--cluster\)/g, " (calib report takes them, by --cluster)"],
    [/, for example \w+ -c FILE \| calib \.\.\. -/g, ""],
    [/^--decimal and --separator are/, "The decimal mark and the separator are"],
    [/say --separator and --decimal/g, "choose the separator and the decimal mark"],
    [/while --decimal says that/g, "while"],
    [/pass --decimal ,/g, "choose the decimal comma"],
    [/ --decimal ,/g, " and the decimal comma"],
    [/pass --no-header/g, "tick \u201cThe first line is a row\u201d"],
    [/--score and --label both name/g, "scores and labels are both"],
    [/: pass --(score|label) with/g, ": choose the $1s by"],
    [/pass (?:the )?--(separator|encoding)/g, "choose the $1"],
    [/--(separator|encoding)/g, "the $1"],
  ];

  const inFields = (message) =>
    WORDS.reduce((text, [flag, field]) => text.replace(flag, field), message);

  return { inFields };
};
