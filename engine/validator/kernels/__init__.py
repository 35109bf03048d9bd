"""From a red row to the kernel: values inside a stage, and kernels replaced by others."""
