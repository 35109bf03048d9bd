"""Series of runs: amounts of padding, random utterances, single LSTMs, the text side."""
