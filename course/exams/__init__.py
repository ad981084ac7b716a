"""Two exams: texts, and the numbers that are computed for them."""
