"""What a machine may be: streams that are closed or full, limits, environments, and cache folders of others."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from attack import CHECK, Attack, put

# -- streams and machines ---------------------------------------------------------------------------------------------

NOT_WAITING = (
    "python3 -c 'import os, sys; os.set_blocking(1, False); os.set_blocking(2, False); "
    "os.execvp(sys.argv[1], sys.argv[1:])'"
)
STREAMS = {
    "no stdout": '"$@" >&-',
    "no stderr": '"$@" 2>&-',
    "no stdin": '"$@" <&-',
    "no stdout and stderr": '"$@" >&- 2>&-',
    "no stream": '"$@" <&- >&- 2>&-',
    "stdout full": '"$@" >/dev/full',
    "stderr full": '"$@" 2>/dev/full',
    "both full": '"$@" >/dev/full 2>&1',
    "a reader that went": '"$@" | true',
    "a reader of stderr that went": '"$@" 2>&1 >/dev/null | true',
    "stdout for reading": '"$@" 1</dev/null',
    "stderr for reading": '"$@" 2</dev/null',
    "no output file": '"$@" -o /dev/full',
    "an output that is a folder": '"$@" -o .',
    "an output nowhere": '"$@" -o no/such/folder/x',
    "another output that is full": '"$@" --also sarif:/dev/full',
    "stdout that doesn't wait": f'{NOT_WAITING} "$@" | (sleep 1; cat)',
    "stderr that doesn't wait": f'{NOT_WAITING} "$@" 2>&1 >/dev/null | (sleep 1; cat)',
    "a reader that takes a little": '"$@" | head -c 10',
    "stdout for reading and writing": '"$@" 1<>own',
    "stdout that is a source": '"$@" 1<>sglang/version.py',
    "a terminal that went": 'setsid script -qec "true" /dev/null </dev/null >/dev/null; "$@"',
    "stdout that is shared and closed": '("$@"; echo) >&- 2>/dev/null',
}
MOUNTED = 'set -- unshare -m bash -c "mount -t tmpfs -o ro,size=4k x /dev/shm; \\"\\$@\\"" bash "$@";'
SMALL_DISK = (
    "mkdir disk; export SPECINT_CACHE_DIR=$PWD/disk TMPDIR=$PWD/disk; "
    'set -- unshare -m bash -c "mount -t tmpfs -o size=64k x disk; \\"\\$@\\"" bash "$@";'
)
NO_FILES = SMALL_DISK.replace("size=64k", "nr_inodes=2")
"""Where nothing may be mounted, the answer is that of `unshare`."""
PROBLEM = {"bad": put(b"x = 1\ndef f(:\n"), "good": lambda _: None}
MACHINES = {
    "8 processes": "ulimit -u 8; ",
    "2 processes": "ulimit -u 2; ",
    "no process": "ulimit -u 0; ",
    "24 descriptors": "ulimit -n 24; ",
    "14 descriptors": "ulimit -n 14; ",
    "10 descriptors": "ulimit -n 10; ",
    "a stack of 256 KB": "ulimit -s 256; ",
    "a stack of 64 MB": "ulimit -s 65536; ",
    "an endless stack": "ulimit -s unlimited; ",
    "files of 0 bytes": "ulimit -f 0; ",
    "files of 1 KB": "ulimit -f 1; ",
    "400 MB": "ulimit -v 400000; ",
    "150 MB": "ulimit -v 150000; ",
    "no core": "ulimit -c 0; ",
    "2 s of CPU": "ulimit -t 30; ",
    "no locale": "export LC_ALL=C PYTHONUTF8=0 PYTHONCOERCECLOCALE=0; ",
    "a locale that is none": "export LC_ALL=xx_YY.UTF-9; ",
    "no home": "unset HOME SPECINT_CACHE_DIR; ",
    "a home that is none": "export HOME=/no/such/home; unset SPECINT_CACHE_DIR; ",
    "no TMPDIR": "export TMPDIR=/no/such; ",
    "no PATH": "export PATH=; ",
    "SIGPIPE ignored": "trap '' PIPE; ",
    "SIGCHLD ignored": "trap '' CHLD; ",
    "SIGTERM ignored": "trap '' TERM; ",
    "ASCII": "export PYTHONIOENCODING=ascii; ",
    "UTF-16": "export PYTHONIOENCODING=utf-16; ",
    "no long numbers": "export PYTHONINTMAXSTRDIGITS=640; ",
    "development": "export PYTHONDEVMODE=1; ",
    "warnings are errors": "export PYTHONWARNINGS=error; ",
    "optimized": "export PYTHONOPTIMIZE=2; ",
    "no bytecode": "export PYTHONDONTWRITEBYTECODE=1; ",
    "columns": "export COLUMNS=1; ",
    "columns that are none": "export COLUMNS=-5 LINES=abc; ",
    "a terminal that is none": "export TERM=$'\\033[2J'; ",
    "colours": "export FORCE_COLOR=1 CLICOLOR_FORCE=1; ",
    "6 descriptors": "ulimit -n 6; ",
    "a million descriptors": "ulimit -n 1000000; ",
    "descriptors that are open": 'for n in $(seq 10 60); do eval "exec $n</dev/null"; done; ulimit -n 64; ',
    "a mask of everything": "umask 777; ",
    "a mask of nothing": "umask 0; ",
    "warnings of encodings": "export PYTHONWARNDEFAULTENCODING=1 PYTHONWARNINGS=error; ",
    "memory that is traced": "export PYTHONTRACEMALLOC=25; ",
    "memory that is checked": "export PYTHONMALLOC=debug; ",
    "a fault handler": "export PYTHONFAULTHANDLER=1; ",
    "no digits": "export PYTHONINTMAXSTRDIGITS=0; ",
    "one hash": "export PYTHONHASHSEED=0; ",
    "unbuffered": "export PYTHONUNBUFFERED=1; ",
    "Latin": "export PYTHONIOENCODING=latin-1:strict; ",
    "UTF-7": "export PYTHONIOENCODING=utf-7; ",
    "surrogates": "export PYTHONIOENCODING=utf-8:surrogateescape; ",
    "a locale of old": "export LC_ALL=POSIX PYTHONUTF8=0 PYTHONIOENCODING=; ",
    "a time zone that is none": "export TZ=$'\\033[2J/no/such'; ",
    "no terminal": "export TERM=; ",
    "a wide terminal": "export COLUMNS=1000000 LINES=1; ",
    "no columns": "export COLUMNS=0; ",
    "signals that are blocked": "trap '' INT HUP QUIT USR1 ALRM; ",
    "a debugger": "export PYTHONBREAKPOINT=no.such SPECINT_DEBUG=1; ",
    "a cache that is foreign text": "export SPECINT_CACHE_DIR=$'x\\033[2J\\n::error ::pwned'; ",
    "a cache that is nothing": "export SPECINT_CACHE_DIR=; ",
    "a cache at the root": "export SPECINT_CACHE_DIR=/proc/self/x; ",
    "a virtual environment that is none": "export VIRTUAL_ENV=$'/no\\033[2J' CONDA_PREFIX=$'\\n::error ::pwned'; ",
    "little shared memory": f"{MOUNTED} ",
    "a disk of 64 KB": f"{SMALL_DISK} ",
    "a disk without files": f"{NO_FILES} ",
    "memory of 250 MB": "ulimit -v 250000; ",
    "data of 60 MB": "ulimit -d 60000; ",
    "a limit of locks": "ulimit -x 0 2>/dev/null; ",
    "the lowest priority": "renice 19 $$ >/dev/null; ",
    "a process table": "exec 2>&2; ulimit -i 0 2>/dev/null; ",
    "a folder that went": 'mkdir gone; cp -r sglang ..; cd gone; rmdir ../gone; set -- "${@/#sglang/../sglang}"; ',
}
MANY = 40
"""So many more files make the reading worth several processes."""


def many_files(top: Path) -> None:
    kumo = (top / "sglang/srt/models/kumo_k2.py").read_text()
    for number in range(MANY):
        (top / f"sglang/srt/models/more{number}.py").write_text(kumo.replace("class Kumo", f"class More{number}Kumo"))


def of_streams() -> Iterator[Attack]:
    for name, shell in STREAMS.items():
        for what, lay in PROBLEM.items():
            yield Attack("streams", f"{name}, {what} tree", lay, shell=shell, found=False)
        yield Attack("streams", f"{name}, json", shell=shell, arguments=(*CHECK, "--format", "json"), found=False)
        yield Attack(
            "streams", f"{name}, an error", shell=shell, arguments=("check", "--sglang", "no/such"), found=False
        )


def of_machines() -> Iterator[Attack]:
    for name, line in MACHINES.items():
        yield Attack("machines", name, shell=f'{line}"$@"', found=False)
        yield Attack(
            "machines",
            f"{name}, many files",
            many_files,
            (*CHECK, "--jobs", "4"),
            shell=f'{line}"$@"',
            found=False,
        )


# -- cache folders ----------------------------------------------------------------------------------------------------


CACHES = {
    "pipes": 'find cache -type f | while read -r f; do rm "$f"; mkfifo "$f"; done; ',
    "folders": 'find cache -type f | while read -r f; do rm "$f"; mkdir "$f"; done; ',
    "sparse files": 'find cache -type f | while read -r f; do truncate -s 100G "$f"; done; ',
    "sparse files of others": 'find cache -type f | while read -r f; do rm "$f"; truncate -s 100G "$f"; done; ',
    "empty files": 'find cache -type f | while read -r f; do : >"$f"; done; ',
    "links to nothing": 'find cache -type f | while read -r f; do rm "$f"; ln -s /no/such "$f"; done; ',
    "links to themselves": 'find cache -type f | while read -r f; do rm "$f"; ln -s "$f" "$f"; done; ',
    "links to devices": 'find cache -type f | while read -r f; do rm "$f"; ln -s /dev/zero "$f"; done; ',
    "sockets of nobody": 'find cache -type f | while read -r f; do rm "$f"; mknod "$f" p; done; ',
    "a file where a folder belongs": "rm -rf cache/v1; : >cache/v1; ",
    "files where folders belong": "rm -rf cache/v1/facts; : >cache/v1/facts; ",
    "a cache that is a file": "rm -rf cache; : >cache; ",
    "a cache that is a device": "rm -rf cache; ln -s /dev/null cache; ",
    "a link to itself": "rm -rf cache; ln -s cache cache; ",
    "one that is not ours to write": "chmod -R a-w cache; ",
    "leftovers of the same process": "LEFT=1; ",
    "a mark that is a folder": "rm -f cache/.pruned; mkdir cache/.pruned; ",
    "a mark that is a pipe": "rm -f cache/.pruned; mkfifo cache/.pruned; ",
    "a tag that is a pipe": "rm -f cache/CACHEDIR.TAG; mkfifo cache/CACHEDIR.TAG; ",
    "noise": 'find cache -type f | while read -r f; do head -c 5000 /dev/urandom >"$f"; done; ',
    "a disk that is full": f"{SMALL_DISK.replace('mkdir disk; export', 'mkdir disk; cp -r cache disk; export')} ",
    "a file of another in each folder": 'find cache -type d | while read -r d; do : >"$d/%d%s%n"; done; ',
    "names with escapes": "find cache -type d | while read -r d; do : >\"$d/\"$'\\033[2J\\n::error ::'; done; ",
    "20,000 files of others": "mkdir -p cache/v1/x; (cd cache/v1/x; seq 20000 | xargs touch); rm -f cache/.pruned; ",
    "times to come": "find cache -exec touch -d 2300-01-01 {} +; ",
    "times long past": "find cache -exec touch -d 1900-01-01 {} +; ",
    "entries in each other's place": (
        "f=$(find cache/v1 -type f | head -1); find cache -type f | "
        'while read -r g; do cp "$f" "$g" 2>/dev/null; done; '
    ),
    "one bit": (
        "find cache/v1 -type f | while read -r f; do "
        "printf '\\001' | dd of=\"$f\" bs=1 seek=60 conv=notrunc 2>/dev/null; done; "
    ),
    "more behind it": 'find cache/v1 -type f | while read -r f; do echo x >>"$f"; done; ',
    "half": 'find cache -type f | while read -r f; do truncate -s 50% "$f" 2>/dev/null || truncate -s 20 "$f"; done; ',
}


KILLED = ("TERM", "HUP", "INT", "QUIT", "KILL", "ABRT", "USR1", "PIPE", "ALRM", "STOP")


def of_signals() -> Iterator[Attack]:
    """The process that was started is sent a signal, or each of those that it starts."""
    for name in KILLED:
        go_on = "kill -CONT $p; " if name == "STOP" else ""
        sent = f"sleep 0.7; kill -{name} $p 2>/dev/null; sleep 0.2; {go_on}"
        shell = f'"$@" & p=$!; {sent}wait $p 2>/dev/null; sleep 0.5; exit 0'
        yield Attack("signals", name, many_files, (*CHECK, "--jobs", "3"), shell=shell, found=False)
        shell = (
            '"$@" & p=$!; for n in $(seq 30); do sleep 0.05; '
            f"kill -{name} $(cat /proc/$p/task/*/children 2>/dev/null) 2>/dev/null; done; {go_on}"
            "kill -CONT $(cat /proc/$p/task/*/children 2>/dev/null) 2>/dev/null; wait $p"
        )
        yield Attack("signals", f"{name} to children", many_files, (*CHECK, "--jobs", "3"), shell=shell, found=False)


def of_caches() -> Iterator[Attack]:
    for name, line in CACHES.items():
        shell = f'export SPECINT_CACHE_DIR=$PWD/cache; "$@" >/dev/null 2>&1; {line}"$@"'
        yield Attack("caches", name, shell=shell, seconds=60)
    loop = "import shutil\nwhile True: shutil.rmtree('cache/v1', ignore_errors=True)"
    kept = f'export SPECINT_CACHE_DIR=$PWD/cache; "$@" >/dev/null 2>&1; python3 -c "{loop}" & k=$!; '
    yield Attack("caches", "removed meanwhile", shell=f'{kept}"$@"; r=$?; kill $k; wait $k 2>/dev/null; exit $r')
