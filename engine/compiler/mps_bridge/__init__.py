"""A function of Apple's Metal beyond TVM: an LSTM of Metal Performance Shaders that TVM's modules can call."""
