"""Reports for people: text, HTML with plots and sounds, and two runs side by side."""
