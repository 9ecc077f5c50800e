from imoca_lab.problems.circuit.problem import circuit as circuit
