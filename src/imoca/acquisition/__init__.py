"""How good is a question (x, z): pure functions of the posterior moments, and the search for the best one."""
