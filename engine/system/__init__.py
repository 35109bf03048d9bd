"""The operating system: paths, files, processes, memory, CPU cores."""
