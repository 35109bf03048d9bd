"""The functions that compiled libraries call and the runners register with TVM, by name."""

BUFFERS_FUNCTION = "kokoro.buffers"
"""Called by stages for a GPU: it takes sizes [bytes] and returns as many buffers, each at least that large."""
WAIT_FUNCTION = "kokoro.wait_for_gpu"
"""Called by stages for Metal between kernels, to limit the length of their command buffers."""
WORKSPACE_FUNCTION = "kokoro.workspace"
"""Called by stages for the CPU: it takes a shape [bytes] and returns an array of as many bytes."""
