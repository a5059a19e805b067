"""Longest time for which a test in Python waits for a condition or a program; Tests/Patience is the same in Swift."""

# Seconds. It only decides how long a test takes that fails, so it is longer than any load of the machine lasts.
PATIENCE = 900
