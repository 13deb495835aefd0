"""Examples run, and stubs say what is there."""

import ast
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
    assert doctest.testfile(str(GUIDE), module_relative=False).failed == 0


def names(tree):
    """The public names of a stub, and of the classes in it."""
    found = set()
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            methods = {method.name for method in node.body if isinstance(method, ast.FunctionDef)}
            found |= {f"{node.name}.{method}" for method in methods if not method.startswith("_")}
    return found


@pytest.mark.parametrize("name", MODULES)
def test_stubs_have_every_name(name):
    module = importlib.import_module(name)
    path = pathlib.Path(module.__file__).with_suffix(".pyi")
    if not path.exists():
        # A module of Python has its own types.
        assert name == "carrysave.gmpy2"
        return
    there = set()
    for attribute in module.__all__:
        value = getattr(module, attribute)
        if inspect.ismodule(value):
            continue
        there.add(attribute)
        if inspect.isclass(value) and not issubclass(value, Exception):
            there |= {f"{attribute}.{method}" for method in vars(value) if not method.startswith("_")}
    assert names(ast.parse(path.read_text())) == there


def test_signatures_are_those_of_the_stubs():
    for name in MODULES[:-1]:
        module = importlib.import_module(name)
        tree = ast.parse(pathlib.Path(module.__file__).with_suffix(".pyi").read_text())
        for node in tree.body:
            if isinstance(node, ast.FunctionDef):
                there = inspect.signature(getattr(module, node.name)).parameters
                arguments = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
                assert [argument.arg for argument in arguments] == list(there), node.name


def test_the_package_says_which_it_is():
    assert carrysave.__version__.count(".") == 2
    assert (pathlib.Path(carrysave.__file__).parent / "py.typed").exists()
