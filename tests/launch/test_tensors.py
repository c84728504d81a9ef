"""Headers of safetensors: what is read of them, and what means harm is one line."""

import json
import os

import pytest

from specint.execution.files import Files
from specint.launch import tensors
from specint.launch.tensors import Tensor, tensors_of
from tests.launch.safetensors import index, write, write_header

ONE = {"a.weight": (4, 2)}


@pytest.fixture
def found(tmp_path):
    """`found()`: what the folder has."""
    return lambda: tensors_of(Files([tmp_path]), str(tmp_path))


def test_names_types_and_shapes(tmp_path, found):
    write(tmp_path / "model.safetensors", {**ONE, "b": ()}, "F32")
    assert found().tensors == {"a.weight": Tensor((4, 2), "F32"), "b": Tensor((), "F32")}
    assert found().whole
    assert (found().faults, found().unread, found().missing) == ((), (), ())


def test_a_folder_without_any_says_nothing(tmp_path, found):
    (tmp_path / "config.json").write_text("{}")
    assert found() is None


def test_several_files_and_their_index(tmp_path, found):
    write(tmp_path / "one.safetensors", ONE)
    write(tmp_path / "two.safetensors", {"b": (1,)})
    write(tmp_path / "left-over.safetensors", {"c": (1,)})
    index(tmp_path, {"a.weight": "one.safetensors", "b": "two.safetensors"})
    assert (set(found().tensors), found().whole) == ({"a.weight", "b"}, True)
    (tmp_path / "two.safetensors").unlink()
    assert (found().missing, found().whole) == (("two.safetensors",), False)


def test_an_index_alone_has_names_and_no_shapes(tmp_path, found):
    index(tmp_path, {"a.weight": "one.safetensors", "b": "two.safetensors"})
    assert found().tensors == {"a.weight": Tensor(), "b": Tensor()}
    assert (found().missing, found().whole) == ((), True)


def entry(**changes):
    return json.dumps({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4], **changes}}).encode()


REFUSED = {
    "a header longer than the file": (b"{}", 0, 1 << 62, "ends before its header"),
    "no header": (b"", 0, 5, "ends before its header"),
    "no JSON": (b"{a", 0, None, "is no JSON"),
    "no text": (b"\xff\xfe{}", 0, None, "is no JSON"),
    "no object": (b"[1]", 0, None, "is no JSON object"),
    "lists in lists": (b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}", 0, None, "nested too deeply"),
    "a tensor that is none": (b'{"a": 1}', 0, None, "no shape or place"),
    "a shape that is none": (entry(shape=[1.5]), 4, None, "no shape or place"),
    "a negative shape": (entry(shape=[-1]), 4, None, "no shape or place"),
    "a place that is none": (entry(data_offsets="x"), 4, None, "no shape or place"),
    "a place outside of the file": (entry(), 2, None, "outside of the file"),
    "a place that ends before it begins": (entry(data_offsets=[4, 0]), 4, None, "outside of the file"),
    "a name without end": (entry().replace(b'"a"', b'"' + b"a" * 5_000 + b'"'), 4, None, "no shape"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_header_that_means_harm_is_one_line(tmp_path, found, name):
    header, size, length, said = REFUSED[name]
    write_header(tmp_path / "model.safetensors", header, size, length)
    assert len(found().faults) == 1
    assert said in found().faults[0]
    assert len(found().faults[0]) < 300
    assert not found().whole


def test_names_that_are_there_twice_are_told(tmp_path, found):
    pair = b'"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}'
    write_header(tmp_path / "model.safetensors", b"{" + pair + b"," + pair + b"}", 4)
    assert "has a name twice" in found().unread[0]
    write(tmp_path / "model.safetensors", ONE)
    write(tmp_path / "more.safetensors", ONE)
    assert "is in another file too" in found().unread[0]
    assert not found().whole


def test_headers_are_bounded_one_and_all(tmp_path, found, monkeypatch):
    write(tmp_path / "a.safetensors", {f"a{n}": (1,) for n in range(100)})
    write(tmp_path / "b.safetensors", {f"b{n}": (1,) for n in range(100)})
    monkeypatch.setattr(tensors, "MOST_BYTES", 9_000)
    assert "all headers together" in found().unread[0]
    monkeypatch.setattr(tensors, "LARGEST_HEADER", 100)
    assert "its header has more than 100 bytes" in found().faults[0]


INDEXES = {
    "no JSON": ("{", "is no JSON"),
    "no list": ('{"weight_map": 1}', "no weight_map"),
    "a file that is none": ('{"weight_map": {"a": 1}}', "no weight_map"),
    "a file above": ('{"weight_map": {"a": "../x.safetensors"}}', "outside of its folder"),
    "a file of the system": ('{"weight_map": {"a": "/etc/passwd"}}', "outside of its folder"),
    "no name": ('{"weight_map": {"a": ".."}}', "outside of its folder"),
}


@pytest.mark.parametrize("name", INDEXES)
def test_an_index_that_means_harm_is_one_line(tmp_path, found, name):
    text, said = INDEXES[name]
    (tmp_path / "model.safetensors.index.json").write_text(text)
    assert [said in fault for fault in found().faults] == [True]


def test_no_link_out_of_the_folder_and_no_pipe_is_read(tmp_path):
    inside = tmp_path / "in"
    inside.mkdir()
    write(tmp_path / "secret.safetensors", ONE)
    (inside / "a.safetensors").symlink_to(tmp_path / "secret.safetensors")
    os.mkfifo(inside / "b.safetensors")
    found = tensors_of(Files([inside]), str(inside))
    assert found.tensors == {}
    assert [line.partition(":")[0] for line in found.unread] == ["a.safetensors", "b.safetensors"]


def test_the_state_of_a_file_is_its_header_and_size(tmp_path):
    files = Files([tmp_path])
    write(tmp_path / "model.safetensors", ONE)
    tensors_of(files, str(tmp_path))
    path = str(tmp_path / "model.safetensors")
    before = files.state(path, files.asked[path])
    with (tmp_path / "model.safetensors").open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"x")  # a weight
    assert files.state(path, files.asked[path]) == before
    write(tmp_path / "model.safetensors", {"a.weight": (2, 4)})
    assert files.state(path, files.asked[path]) != before
