"""The Export dialog: a document, in chapters, into one sound file or several."""
