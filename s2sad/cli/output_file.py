"""Where the command line writes: without harm to what isn't its own.

A regular file is replaced in one step, if s2sad made it (its first line says so) or the
user insists; devices and pipes are written into; a module that was read, or is imported
by one, is never written over.
"""

import ast
import os
import re
import stat
import tempfile
from pathlib import Path

import click

from s2sad.errors import S2sadError, one_line
from s2sad.source.static.module import StaticModule

MADE_BY = "Made by s2sad from "
"""How the first line of each file that is written begins, behind the ``#``."""
_DESCRIPTOR = re.compile(r"/(?:dev|proc/(?:self|\d+))/fd/(\d+)")
_STREAMS = {"/dev/stdout": 1, "/dev/stderr": 2}


def write_output(path: Path, text: str, module: StaticModule, force: bool) -> None:
    """Write the text made from a module; ``-`` is the standard output.

    Raises ``S2sadError`` where that would do harm, ``OSError`` where it fails; what
    stood there is unchanged then.
    """
    descriptor = _open_descriptor(path)
    if descriptor == 1:
        click.echo(text, nl=False)
    elif descriptor is not None:
        with open(os.dup(descriptor), "wb") as stream:
            stream.write(text.encode())
    elif not _exists(path):
        _check_name(path, text, module)
        write_atomically(path, text)
    elif stat.S_ISREG(path.stat().st_mode):
        _check_content(path, text, module, force)
        write_atomically(path, text)
    else:
        _write_into(path, text)


def is_open_stream(path: Path) -> bool:
    """True for ``-``, ``/dev/stdout`` and the like, which name no file."""
    return _open_descriptor(path) is not None


def _open_descriptor(path: Path) -> int | None:
    """The number of the open file that a path names."""
    text = str(path)
    if text == "-":
        return 1
    if text in _STREAMS:
        return _STREAMS[text]
    found = _DESCRIPTOR.fullmatch(text)
    return int(found[1]) if found else None


def _exists(path: Path) -> bool:
    try:
        path.stat()
    except FileNotFoundError:
        return False
    return True


def _write_into(path: Path, text: str) -> None:
    """Write to a device or a pipe, which stays what it is."""
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(21, "is a directory", str(path))
    if not stat.S_ISCHR(mode) and not stat.S_ISFIFO(mode):
        raise OSError(22, "is neither a file, a terminal nor a pipe", str(path))
    try:
        with open(os.open(path, os.O_WRONLY | os.O_NOCTTY), "wb") as stream:
            stream.write(text.encode())
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def _check_name(path: Path, text: str, module: StaticModule) -> None:
    """Raise ``S2sadError`` where a new file would be found instead of a library that
    it, or the module, imports."""
    if path.suffix != ".py":
        return
    for tree in (ast.parse(text), module.file.tree):
        for node in ast.walk(tree):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names = [node.module or ""]
            if path.stem in (name.partition(".")[0] for name in names):
                raise S2sadError(
                    f"{one_line(path)}: this would be imported as {path.stem}; write "
                    "to a file of another name"
                )


def _check_content(path: Path, text: str, module: StaticModule, force: bool) -> None:
    """Raise ``S2sadError`` where a regular file must be left as it is."""
    from s2sad.transpile.literals import imported_files

    read = [other for other in module.all_read() if other.path.is_file()]
    this = [other for other in read if path.samefile(other.path)]
    ours = _is_ours(path)
    if module in this or (this and not (ours and _holds_all(text, this[0], read))):
        what = "the file to be read" if module in this else "a file that was read for "
        name = "" if module in this else one_line(module.path.name)
        raise S2sadError(
            f"{one_line(path)}: this is {what}{name}; write to another one"
        )
    if ours:
        return
    if any(path.samefile(other) for other in imported_files(module.path)):
        raise S2sadError(
            f"{one_line(path)}: this is a module that {one_line(module.path.name)} "
            "imports; write to another file"
        )
    if not force:
        raise S2sadError(
            f"{one_line(path)}: this file wasn't made by s2sad; write to another one, "
            "or replace it with --force"
        )


def _holds_all(text: str, old: StaticModule, read: list[StaticModule]) -> bool:
    """True if a text defines all functions of the old one that other modules name."""
    named: set[str] = set()
    for module in read:
        if module is not old:
            for node in ast.walk(module.file.tree):
                match node:
                    case ast.Name(id=name) | ast.Attribute(attr=name):
                        named.add(name)
                    case ast.alias(name=name):
                        named.add(name)
    made = {n.name for n in ast.parse(text).body if isinstance(n, ast.FunctionDef)}
    return not (set(old.functions) & named) - made


def _is_ours(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.readline(1000).startswith(f"# {MADE_BY}".encode())


def write_atomically(path: Path, text: str) -> None:
    """Replace a file in one step: readers see the old text or the new one, and what
    fails leaves the old one. The permissions of an existing file are kept; a symbolic
    link stays one. Raises ``OSError``."""
    path = Path(os.path.realpath(path))
    try:
        handle, name = tempfile.mkstemp(".tmp", ".s2sad-", path.parent)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    temporary = Path(name)
    try:
        with open(handle, "wb") as stream:
            stream.write(text.encode())
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(_permissions(path))
        os.replace(temporary, path)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise OSError(error.errno, error.strerror, str(path)) from None
        raise


def _permissions(path: Path) -> int:
    """Those of the file, or those that a new file would get."""
    if path.exists():
        if not os.access(path, os.W_OK):
            raise PermissionError(13, "is not writable", str(path))
        return stat.S_IMODE(path.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
