"""Methods of BoTorch as opponents, with the settings of its tutorials; they need the peers extra."""
