"""Accounts of askers on a server that runs: added, listed, removed, while everybody else goes on."""
