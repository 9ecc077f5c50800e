"""``python -m imoca`` does what the command ``imoca`` does."""

from imoca.cli import main

if __name__ == "__main__":  # worker processes import this file again
    main()
