"""The programs of det-operator in a Python environment: `det`, `det-operator`, `python -m det_operator`."""
