"""What was spoken and what is still to be: the history with its sound, and the queue, kept on disk."""
