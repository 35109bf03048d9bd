"""Reports for the user: text, HTML with plots and audio, and two runs side by side."""
