"""nbgrader gives each submission the points that it deserves."""

from course.tools.source import questions, written


def full_marks(graded):
    """Points of a submission that is right; written answers wait for marking."""
    by_hand = written(graded.cells)
    return {q.name: None if q.name in by_hand else q.points for q in questions(graded.cells)}


def test_model_answers_get_full_marks(graded):
    assert graded.points["model"] == full_marks(graded)


def test_second_answers_get_full_marks(graded):
    assert graded.points["second"] == full_marks(graded)


def test_empty_submissions_get_nothing(graded):
    assert set(graded.points["empty"].values()) == {0}


def test_wrong_answers_lose_their_question_and_nothing_else(graded):
    assert len(graded.wrong) == 6
    for i, (mistake, _) in enumerate(graded.wrong):
        question = mistake.split(":")[0]
        assert graded.points[f"wrong-{i}"] == full_marks(graded) | {question: 0}, mistake
