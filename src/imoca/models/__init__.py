"""What we believe: one continuous-fidelity Gaussian process per output, and per unknown cost."""
