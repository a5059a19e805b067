"""The error that ends the program with a sentence."""


class Refusal(Exception):
    """The text says what was wrong, and what to do."""
