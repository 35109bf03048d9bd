"""The operating system: paths, files, processes, memory, processor cores."""
