"""Reading documents: opening them, their chapters beside the text, and the place in each."""
