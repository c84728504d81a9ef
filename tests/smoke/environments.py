"""The environments that the smoke tests need: a real SGLang, a CPU torch and the small packages that it imports.

    python tests/smoke/environments.py [RELEASE ...]

makes each of them (about 2.1 GB and two minutes) in SPECINT_SMOKE_ENVS, or in the user's cache folder, and prints its
interpreter. One that is complete is left alone. SGLang's own requirements are not installed: they are hundreds of
packages and kernels for a GPU; what is here is what importing it on a CPU was seen to need.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path

VARIABLE = "SPECINT_SMOKE_ENVS"

# torch is the CPU build of the index where there is one; triton is real, since a stand-in breaks imports.
TORCH = ("torch==2.13.0", "triton==3.6.0")
SMALL = (
    "numpy",
    "requests",
    "tqdm",
    "psutil",
    "pillow",
    "packaging",
    "einops",
    "aiohttp",
    "cloudpickle",
    "dill",
    "fastapi",
    "gguf",
    "interegular",
    "ipython",
    "loguru",
    "msgspec",
    "openai",
    "openai-harmony",
    "orjson",
    "partial_json_parser",
    "prometheus-client",
    "pybase64",
    "pydantic",
    "python-multipart",
    "pyzmq",
    "scipy",
    "sentencepiece",
    "setproctitle",
    "tiktoken",
    "uvicorn",
    "uvloop",
)
# Installed without what they ask for: that is SGLang's whole serving stack, or another torch.
BARE = ("compressed-tensors==0.15.0.1",)
RELEASES: dict[str, tuple[str, ...]] = {
    "0.5.9": ("transformers==4.57.1",),
    "0.5.23": ("transformers==5.19.0", "xxhash", "zstandard", "regex", "distro"),
}


def home(release: str) -> Path:
    """The folder of an environment, whether it is there or not."""
    if named := os.environ.get(VARIABLE):
        return Path(named) / release
    import platformdirs

    return platformdirs.user_cache_path("specint-smoke", appauthor=False) / release


def interpreter(release: str) -> Path | None:
    """The interpreter of an environment that is complete and up to date, else None."""
    folder = home(release)
    stamp = folder / "complete"
    return folder / "bin" / "python" if stamp.is_file() and stamp.read_text() == _wanted(release) else None


def make(release: str) -> Path:
    """Make an environment that isn't there yet; its interpreter."""
    folder = home(release)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _alone(folder.with_name(f".{release}.lock")):
        if made := interpreter(release):
            return made
        venv.create(folder, with_pip=True, clear=True)
        python = folder / "bin" / "python"
        _pip(python, *TORCH)
        _pip(python, *SMALL, *RELEASES[release])
        _pip(python, "--no-deps", *BARE, f"sglang=={release}")
        (folder / "complete").write_text(_wanted(release))
        return python


def _wanted(release: str) -> str:
    text = " ".join((*TORCH, *SMALL, *BARE, *RELEASES[release], f"python{sys.version_info[0]}.{sys.version_info[1]}"))
    return hashlib.sha256(text.encode()).hexdigest()


def _pip(python: Path, *arguments: str) -> None:
    command = [str(python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet", *arguments]
    subprocess.run(command, check=True)


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    import fcntl

    with path.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def main(releases: list[str]) -> int:
    """Make the environments of these releases, or of all."""
    unknown = [release for release in releases if release not in RELEASES]
    if unknown:
        print(f"no environment is known for {', '.join(unknown)}; there are {', '.join(RELEASES)}", file=sys.stderr)  # noqa: T201
        return 2
    for release in releases or list(RELEASES):
        try:
            print(make(release), flush=True)  # noqa: T201 - a script
        except subprocess.CalledProcessError as error:
            print(f"SGLang {release}: pip ended with {error.returncode}", file=sys.stderr)  # noqa: T201
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
