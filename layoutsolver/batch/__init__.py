"""The same question about thousands of files: resumable, in many processes or on a cluster."""
