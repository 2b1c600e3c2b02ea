"""What Hypothesis draws: the same cases in every run, or random ones; and how a case that fails is kept."""

import ast
import re
from collections.abc import Container
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers


def register_profiles() -> None:
    """The profiles "dev" and "ci" try the same cases in every run, "random" others in each."""
    # A slow machine is no failure.
    common: Any = {"deadline": None, "print_blob": True, "suppress_health_check": [HealthCheck.too_slow]}
    same: Any = {"derandomize": True, "database": None}
    settings.register_profile("dev", max_examples=40, **same, **common)
    settings.register_profile("ci", max_examples=300, **same, **common)
    # Where CI is set, Hypothesis itself draws the same cases unless told otherwise.
    settings.register_profile("random", max_examples=500, derandomize=False, **common)


def leave_modules_out() -> None:
    """Draw no constants from the source of modules.

    Hypothesis takes them from modules that are loaded, and not in a folder of packages or tests. So a test
    would have other cases where it runs alone, and where the checkout lies in another folder.
    """
    none = getattr(providers, "_local_constants", None)
    if none is not None:
        providers._get_local_constants = lambda: none


def as_examples(item: pytest.Item) -> list[str]:
    """The cases that Hypothesis found an item to fail in, as decorators to add to its test."""
    cases = getattr(item, "_hypothesis_failing_examples", ())
    return [_decorator(case, getattr(item, "funcargs", {})) for case in cases]


def _decorator(case: str, others: Container[str]) -> str:
    """The call of a test as a decorator, without fixtures and parameters, which are no part of the case."""
    arguments = re.findall(r"^    (\w+)=(.*(?:\n     .*)*)", case, re.MULTILINE)
    given = "".join(f"{name}={value}\n" for name, value in arguments if name not in others)
    try:
        decorator = ast.parse(f"example(\n{given})")
    except SyntaxError:
        # Some objects show themselves as <...>.
        decorator = None
    # What is drawn within a test is shown as data(...).
    if decorator is None or any(getattr(node, "value", None) is ... for node in ast.walk(decorator)):
        return "No @example can hold this case: take the @reproduce_failure above."
    return f"@{ast.unparse(decorator)}"
