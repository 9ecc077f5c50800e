"""A study to look at: records of what happened, figures drawn from them, one page that holds them all."""
