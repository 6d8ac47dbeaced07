"""`python -m det_operator ...` is this package's `det`, whoever else has put a `det` into the environment."""

from det_operator.launch import det

if __name__ == "__main__":
    det()
