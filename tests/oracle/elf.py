"""As much of ELF64 as the oracles need."""

import struct


def sections(file):
    """[(name, type, flags, address, bytes)]"""
    if file[:6] != b"\x7fELF\x02\x01":
        raise ValueError("not a little-endian ELF64 file")
    table = struct.unpack_from("<Q", file, 0x28)[0]
    size, count, names_at = struct.unpack_from("<HHH", file, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", file, table + i * size) for i in range(count)]
    names = headers[names_at]
    found = []
    for name, kind, flags, address, offset, length in headers:
        start = names[4] + name
        text = file[start : file.index(b"\0", start)].decode()
        found.append((text, kind, flags, address, b"" if kind == 8 else file[offset : offset + length]))
    return found


def section(file, name):
    """The bytes of one section."""
    for found, _, _, _, data in sections(file):
        if found == name:
            return data
    raise ValueError(f"no section {name}")
