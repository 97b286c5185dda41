"""Pictures of a run as SVG, drawn here: the flow of records, and results that share a comparison and an outcome.

Inline in a page they take its colours: `currentColor`, and the custom properties `--soft` and `--wash` where the page
has them. `standalone` gives a white ground and fixed colours, for a file.
"""
