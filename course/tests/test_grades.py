"""Each submission gets the points that it deserves."""

from course.tools.source import questions, written


def full_marks(graded):
    """Points of a submission that is right; written answers wait for marking."""
    by_hand = written(graded.cells)
    return {q.name: None if q.name in by_hand else q.points for q in questions(graded.cells)}


def test_model_answers_get_full_marks(graded):
    assert graded.given["model"] == full_marks(graded)


def test_second_answers_get_full_marks(graded):
    assert graded.given["second"] == full_marks(graded)


def test_empty_submissions_get_nothing(graded):
    assert set(graded.given["empty"].values()) == {0}


def test_wrong_answers_lose_points(graded):
    """One wrong answer to each question; test_sources.py tries all of them, one by one."""
    full = full_marks(graded)
    for question, points in graded.given["wrong"].items():
        if question in graded.wrong:
            assert points < full[question], question
        else:
            assert points == full[question], question
