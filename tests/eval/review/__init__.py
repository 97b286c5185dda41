"""What the parts of a deep review do on labelled sets of others; `make eval-review`."""
