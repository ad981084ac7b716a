"""Write zip archives; the same members make the same bytes."""

import io
import zipfile


def write_archive(path, members):
    """Write an archive from pairs of name and bytes."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)


def rewrite_archive(path):
    """Write an archive again: its members without their dates and permissions."""
    with zipfile.ZipFile(path) as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]
    write_archive(path, members)


def files(folder, prefix=""):
    """Name and bytes of every file below a folder."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield prefix + path.relative_to(folder).as_posix(), path.read_bytes()


def archive_bytes(members):
    """An archive in memory."""
    buffer = io.BytesIO()
    write_archive(buffer, members)
    return buffer.getvalue()
