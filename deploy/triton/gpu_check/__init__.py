"""What a person with a GPU runs once: does it start, are the scores PyTorch's, how fast is it."""
