"""Tables of the shared PDFs, their cells typed by hand from the rendered page, and what readers make of them."""
