"""The exception that ends the program with a message for the user."""


class Refusal(Exception):
    """An error that ends the program. The text names the fault and what the user can do."""
