"""Tools that turn the sources of the problem sets into what lecturers and students use."""
