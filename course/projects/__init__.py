"""Six projects: tasks, and an example of good work for each."""
