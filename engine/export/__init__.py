"""Documents spoken into files, chapter by chapter; what is made is kept until all of it is written."""
