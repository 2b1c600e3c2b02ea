"""The learners: the rule, what it tends to, and its family."""
