"""The kernels of a stage: a list with their errors, and of each its numbers, source, code and replacements."""
