"""The kernels of a stage: a list with their errors, and the metrics, source, code and replacements of each."""
