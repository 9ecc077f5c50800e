"""What is optimised: parameters, simulators with their own fidelity and cost, and the problem they make."""
