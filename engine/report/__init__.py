"""Tests how the program works on a machine and writes one file to send: `steps` lists the tests."""
