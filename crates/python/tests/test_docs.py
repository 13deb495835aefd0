"""Examples run. That the stubs say what is there is checked by mypy."""

import doctest
import importlib
import inspect
import pathlib

import carrysave
import pytest

MODULES = ["carrysave", "carrysave.rsa", "carrysave.ecdsa", "carrysave.ed25519", "carrysave.x25519", "carrysave.gmpy2"]
GUIDE = pathlib.Path(__file__).resolve().parents[3] / "docs/guide/python.md"


def documented():
    """Everything with a docstring, by its name."""
    for name in MODULES:
        module = importlib.import_module(name)
        yield name, module
        for attribute in module.__all__:
            value = getattr(module, attribute)
            if inspect.ismodule(value) or not callable(value):
                continue
            yield f"{name}.{attribute}", value
            if inspect.isclass(value):
                for method in sorted(vars(value)):
                    if not method.startswith("_"):
                        yield f"{name}.{attribute}.{method}", getattr(value, method)


@pytest.mark.parametrize("name, value", list(documented()), ids=lambda value: value if isinstance(value, str) else "")
def test_docstrings_and_their_examples(name, value):
    text = inspect.getdoc(value)
    assert text, f"{name} has no docstring"
    example = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    assert doctest.DocTestRunner().run(example).failed == 0


def test_the_guide():
    results = doctest.testfile(str(GUIDE), module_relative=False)
    assert results.failed == 0 and results.attempted > 20


def test_the_package_says_which_it_is():
    assert carrysave.__version__.count(".") == 2
    assert (pathlib.Path(carrysave.__file__).parent / "py.typed").exists()
