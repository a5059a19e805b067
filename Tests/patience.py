"""Longest time for which a test in Python waits for a condition or a program; Tests/TestSupport is the same in Swift."""

import functools
import unittest
from typing import Callable, TypeVar

T = TypeVar("T", bound=unittest.TestCase)

# Seconds. It only decides how long a test takes that fails, so it is longer than any load of the machine lasts.
PATIENCE = 900


def one_of_five(test: Callable[[T], None]) -> Callable[[T], None]:
    """A test that other load of the machine can fail: one of five turns must pass, each after `setUp`."""
    @functools.wraps(test)
    def turns(case: T) -> None:
        for _ in range(4):
            try:
                return test(case)
            except AssertionError:
                case.setUp()
        test(case)
    return turns
