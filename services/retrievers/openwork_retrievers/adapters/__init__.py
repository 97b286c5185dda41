"""One module per outside API: questions become requests, answers become records. No network I/O in here.

Each adapter is made of pure functions (the requests for a question, the records in an answer) and of one class whose
`search` calls them in order over an `HttpPort`. Retries, rate budgets, caching and the guard against private addresses
belong to the port; what the answers mean belongs here.
"""
