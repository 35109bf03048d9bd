"""The history, with its audio, and the queue, both stored on disk."""
