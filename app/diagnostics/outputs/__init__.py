"""One output of one stage: both signals, their difference, the numbers at a place, and how it sounds."""
