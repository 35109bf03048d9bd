"""What each hand-written operator means, in numpy, and the operators as PyTorch sees them."""
