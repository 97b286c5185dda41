"""Commands that this app adds to `openwork`, a module each. They import what they need when they are called."""
