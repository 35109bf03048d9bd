"""Many runs with one question: amounts of padding, random utterances, single LSTMs, the text side."""
