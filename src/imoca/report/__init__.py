"""A study to look at: records of what happened, figures drawn from them, one page that holds them all."""

from imoca.report.figure_names import COST_UNIT
from imoca.report.figures import picture
from imoca.report.page.contents import Introduction
from imoca.report.page.decision import highlights
from imoca.report.page.page import report_page

__all__ = ["COST_UNIT", "Introduction", "highlights", "picture", "report_page"]
