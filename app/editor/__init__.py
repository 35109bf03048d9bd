"""The Shape Speech window: a sentence's pronunciation, durations, pitch and energy, edited by hand."""
