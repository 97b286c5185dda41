"""The library: records that come with the project or were imported; a source that needs no network."""
