"""A case of the file, with its answers by convention and those of known mistakes."""

from vectors.exact import decimal_text, fraction_text

SUMS = (1e-12, "a few sums, products and logarithms of doubles")
SEARCH = (1e-6, "an optimiser that stops where the likelihood is flat has half the digits")


def case(name, function, given, *, why, source, answers, mistakes=(), tolerance=SUMS):
    """Make a case; answers and mistakes are pairs of a convention or a mistake, and an answer."""
    limit, reason = tolerance
    right = [answer for _, answer in answers]
    return {
        "id": f"{function.replace('_', '-')}-{name}",
        "function": function,
        "input": given,
        "answers": [
            {"convention": convention, **written(answer)} for convention, answer in answers
        ],
        "mistakes": [
            {"mistake": mistake, **written(answer)}
            for mistake, answer in mistakes
            if all(decimal_text(answer) != decimal_text(known) for known in right)
        ],
        "tolerance": limit,
        "tolerance_reason": reason,
        "source": source,
        "why": why,
    }


def written(answer):
    """Return both forms of an answer."""
    return {"fraction": fraction_text(answer), "decimal": decimal_text(answer)}
