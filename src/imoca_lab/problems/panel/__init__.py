from imoca_lab.problems.panel.problem import panel as panel
