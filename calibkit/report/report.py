"""A report, which can be written as JSON and as HTML."""

import json
from dataclasses import asdict, dataclass

from calibkit.report import records as contents
from calibkit.report.clinical import clinical_in_words


@dataclass(frozen=True)
class Report:
    """The result of `make_report`. See the classes of its parts.

    Attributes
    ----------
    name : str
        Name of the scores.
    version : str
        Version of this package.
    notes : tuple of str
        The caller's sentences on how the data were read.
    data : Data
    verdict : Verdict
    cautions : tuple of Caution
    measures : tuple of Estimate
    tests : tuple of Test
    curve : Curve or None
    bins : tuple of Bin
    groups : tuple of Group
    decisions : tuple of Threshold
        At thresholds 0.01, 0.02, ..., 0.99, and at the thresholds of the user.
    escapes : tuple of Escape
        At each threshold of the user.
    promises : tuple of Promise
        A threshold of all rows, or of each group, if a largest error was given.
    clinical : Clinical or None
        The items of the TRIPOD+AI checklist, if they were asked for.
    comparison : Compared or None
        None if there are too few rows of a class.
    advice : tuple of str
    methods : tuple of str
        How the numbers were computed.
    """

    name: str
    version: str
    notes: tuple[str, ...]
    data: contents.Data
    verdict: contents.Verdict
    cautions: tuple[contents.Caution, ...]
    measures: tuple[contents.Estimate, ...]
    tests: tuple[contents.Test, ...]
    curve: contents.Curve | None
    bins: tuple[contents.Bin, ...]
    groups: tuple[contents.Group, ...]
    decisions: tuple[contents.Threshold, ...]
    escapes: tuple[contents.Escape, ...]
    promises: tuple[contents.Promise, ...]
    clinical: contents.Clinical | None
    comparison: contents.Compared | None
    advice: tuple[str, ...]
    methods: tuple[str, ...]

    def clinical_text(self) -> str:
        """The items of the TRIPOD+AI checklist as plain text, or an empty string without them."""
        return "" if self.clinical is None else clinical_in_words(self.clinical)

    def to_json(self) -> str:
        """Write the report as JSON: objects for the parts, null for missing values."""
        return json.dumps(asdict(self), indent=2, ensure_ascii=False, allow_nan=False)

    def to_html(self) -> str:
        """Write the report as one HTML page that loads nothing else."""
        from calibkit.report.page import page_of  # here, because it loads templates

        return page_of(self)
