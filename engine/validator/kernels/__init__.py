"""From a failing stage to its kernel: values inside a stage, and substitutes for kernels."""
