"""What is true: layouts, rules, problems, solvers, chips."""
