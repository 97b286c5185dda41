"""Commands that make the files a model server loads. Nothing here runs when a service starts."""
