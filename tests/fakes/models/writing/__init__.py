"""How the scripted writer works: sentences become facts, facts are told in other words. Knows no rule of the gate."""
