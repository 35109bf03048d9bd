"""Hand-written operators: numpy meaning, torch custom op, TIR kernel."""
