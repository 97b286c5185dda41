"""Guidelines of the asker's own: files in, recommendations with page, grading and wording out."""
