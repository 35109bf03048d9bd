"""Everything that tells how the program fares on a machine, in one file to send: `steps` lists what it does."""
