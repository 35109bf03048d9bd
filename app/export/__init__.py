"""The Export dialog, which saves a document as one audio file or as one per chapter."""
