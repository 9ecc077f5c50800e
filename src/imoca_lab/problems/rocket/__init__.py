from imoca_lab.problems.rocket.problem import rocket as rocket
