"""The kernels of a stage: its graph, drawn and coloured by error, with the source and the code of each kernel."""
