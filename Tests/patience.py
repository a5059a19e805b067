"""Maximum time that a Python test waits for a condition or a program. Tests/TestSupport is the Swift equivalent."""

import functools
import unittest
from typing import Callable, TypeVar

T = TypeVar("T", bound=unittest.TestCase)

# Maximum wait in seconds. Only a failing test waits this long, so the limit can exceed any delay from other load.
PATIENCE = 900


def one_of_five(test: Callable[[T], None]) -> Callable[[T], None]:
    """Repeats a test that may fail because of other load. One of five runs must pass. Calls `setUp` before each run."""
    @functools.wraps(test)
    def turns(case: T) -> None:
        for _ in range(4):
            try:
                return test(case)
            except AssertionError:
                case.setUp()
        test(case)
    return turns
