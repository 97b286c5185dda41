"""Questions asked through the whole pipeline: thirteen of every topic, and a large set whose first part is judged."""
