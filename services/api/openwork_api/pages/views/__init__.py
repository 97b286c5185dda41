"""What pages show, made from documents: pure functions and plain objects, without HTML and without a request."""
