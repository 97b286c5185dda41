"""The whole document as one file: its parts are made once and printed as Markdown or as a page."""
