"""More than one comparison: every regime, amounts of padding, random utterances."""
