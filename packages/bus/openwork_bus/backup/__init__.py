"""What NATS holds, saved into a folder and brought back: JetStream's own snapshots, one file per stream.

choice.py says which streams and why, transfer.py speaks with the server, manifest.py is the list beside the files,
saving.py and restoring.py are the two ways. `python -m openwork_bus.backup` is the command.
"""
