"""Hand-written TIR for the operators that cost time, on Apple's GPUs."""
