"""What the operating system gives: paths, files, processes, memory, processor cores."""
