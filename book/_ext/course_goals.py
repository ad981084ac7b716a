"""The directive ``course-goals``: what the problem sets of the course test, from their sources."""

from collections import Counter

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from course.tools.source import goals, questions, read_set, set_names, title


def lines():
    """The lines of Markdown that the directive stands for."""
    for name in set_names():
        cells = read_set(name)
        subjects = Counter(question.subject for question in questions(cells))
        asked = ", ".join(f"{count} {subject}" for subject, count in subjects.items())
        yield from [f"**{title(cells)}** ({sum(subjects.values())} questions: {asked})", ""]
        yield from [f"{number}. {goal}" for number, goal in goals(cells).items()]
        yield ""


class CourseGoals(SphinxDirective):
    """Each problem set with its learning goals and the number of questions by subject."""

    def run(self):
        """Return the parsed lines."""
        place = nodes.container()
        self.state.nested_parse(StringList(list(lines()), source="course/sets"), 0, place)
        return place.children


def setup(app):
    """Make the directive known."""
    app.add_directive("course-goals", CourseGoals)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
