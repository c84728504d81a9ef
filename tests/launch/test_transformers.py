"""The names that Transformers offers, and its model classes where SGLang has none of its own for an architecture."""

import pytest

from specint.execution import Interpreter
from specint.execution.files import Files
from specint.execution.modules import Modules
from specint.execution.outside import Outside
from specint.execution.values import Class, Raised
from specint.launch import transformers
from specint.source.tree import Origin, TextTree
from tests.execution.evaluated import deeply

LIBRARY = {
    "__init__": '_import_structure = {"modeling_utils": ["PreTrainedModel"], "cache_utils": ["Cache"]}',
    "configuration_utils": """
class Layers:
    def __getattribute__(self, key):
        layers = super().__getattribute__("__dict__").get("_heterogeneity_spec")
        if layers is not None and key in layers:
            raise RuntimeError(f"{key} differs")
        return super().__getattribute__(key)

class PreTrainedConfig(Layers):
    attribute_map = {}
    def __init__(self, **keywords):
        for key, value in keywords.items():
            setattr(self, key, value)
    def __setattr__(self, key, value):
        super().__setattr__(key, value)
    def __getattribute__(self, key):
        return super().__getattribute__(key)
""",
    "modeling_utils": """
import torch
class PreTrainedModel(torch.nn.Module):
    _supports = False
    @classmethod
    def is_backend_compatible(cls):
        return cls._supports
""",
    "models/__init__": "",
    "models/small/__init__": "",
    "models/small/configuration_small": """
from ...configuration_utils import PreTrainedConfig
class SmallConfig(PreTrainedConfig):
    pass
__all__ = ["SmallConfig"]
""",
    "models/small/modeling_small": """
from ...modeling_utils import PreTrainedModel
class SmallModel(PreTrainedModel):
    pass
class SmallForCausalLM(SmallModel):
    _supports = True
class SmallInside(SmallModel):
    pass
__all__ = ["SmallModel", "SmallForCausalLM"]
""",
    "models/small/modular_small": '\n__all__ = ["SmallUnborn", "SmallForCausalLM"]\n',
    "models/old/small_old/modeling_small_old": '\n__all__ = ["SmallOldModel"]\n',
}


@pytest.fixture
def it():
    texts = {f"transformers/{name}.py": text.encode() for name, text in LIBRARY.items()}
    library = TextTree(texts, Origin(version="0", source="a test"), "transformers")
    modules = Modules(library, transformers.is_hidden)
    transformers.install(modules, transformers.Library(library))
    it = Interpreter(library, Outside({}), files=Files(), environment={}, modules=modules)
    it.hooks |= transformers.fast_hooks(modules)
    return it


def offered(it, name):
    return deeply(lambda: it.module_attribute(it.module("transformers"), name))


@pytest.mark.parametrize("name", ["PreTrainedModel", "Cache", "SmallConfig", "SmallForCausalLM", "SmallOldModel"])
def test_what_it_lists_is_there(it, name):
    offered(it, name)


@pytest.mark.parametrize(
    "name", ["SmallForCausalLMEagle3", "DraftModel", "SmallInside", "SmallUnborn", "Eagle3Speculator"]
)
def test_what_it_does_not_list_is_absent(it, name):
    with pytest.raises(Raised) as raised:
        offered(it, name)
    assert isinstance(raised.value.value, AttributeError)


@pytest.mark.parametrize(("name", "compatible"), [("SmallForCausalLM", True), ("SmallModel", False)])
def test_a_model_class_says_whether_it_serves_as_a_backend(it, name, compatible):
    cls = offered(it, name)
    assert isinstance(cls, Class)
    assert deeply(lambda: it.call(it.get_attribute(cls, "is_backend_compatible"), [], {})) is compatible


def made(it, **keywords):
    cls = offered(it, "SmallConfig")
    return deeply(lambda: it.call(cls, [], keywords))


def test_a_key_that_a_configuration_lacks_is_missed_inside_of_transformers(it):
    config = made(it, size=3)
    assert it.get_attribute(config, "size") == 3
    with pytest.raises(Raised) as raised:
        it.get_attribute(config, "width")
    assert raised.value.file.startswith("transformers")


def test_a_configuration_whose_layers_differ_refuses_what_differs(it):
    config = made(it, size=3, heads=4, _heterogeneity_spec={"heads": {}})
    assert it.get_attribute(config, "size") == 3
    with pytest.raises(Raised, match="heads differs"):
        deeply(lambda: it.get_attribute(config, "heads"))
