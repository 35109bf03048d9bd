"""What Apple's Metal offers beyond TVM: an LSTM of Metal Performance Shaders that TVM's modules can call."""
