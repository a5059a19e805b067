"""The exception that ends the program with a message for the user."""


class Refusal(Exception):
    """The text names the fault and what the user can do."""
