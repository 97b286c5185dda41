"""Who may come, by which name, with how much: keys, sessions, hosts and origins, limits, headers."""
