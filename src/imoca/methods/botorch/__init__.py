"""BoTorch's methods as opponents: each asks its questions as its own tutorial sets it up; torch is loaded on demand."""
