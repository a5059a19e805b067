"""Maximum wait of a Python test for a condition or a program. Tests/TestSupport is the Swift equivalent."""

import functools
import unittest
from typing import Callable, TypeVar

T = TypeVar("T", bound=unittest.TestCase)

# Seconds. Only a failing test waits so long, so the limit exceeds any delay that other load causes.
PATIENCE = 900


def one_of_five(test: Callable[[T], None]) -> Callable[[T], None]:
    """Repeats a test that other load can fail. One of five turns must pass. `setUp` precedes each turn."""
    @functools.wraps(test)
    def turns(case: T) -> None:
        for _ in range(4):
            try:
                return test(case)
            except AssertionError:
                case.setUp()
        test(case)
    return turns
