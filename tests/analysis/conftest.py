"""The analysis written by hand that tests of outputs use too."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

_spec = spec_from_file_location("written_by_hand", Path(__file__).parent.parent / "outputs/conftest.py")
assert _spec is not None
assert _spec.loader is not None
_module = module_from_spec(_spec)
_spec.loader.exec_module(_module)

analysis = _module.analysis
