"""The report: one page that opens anywhere."""
