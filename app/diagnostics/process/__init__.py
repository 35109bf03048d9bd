"""The child process with the reference: started, asked, watched."""
