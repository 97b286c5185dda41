"""Who judges what code can neither prove nor dispel, one module per outside system."""
