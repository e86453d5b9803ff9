"""dumps.py - crash dumps in other forms: what makedumpfile of this distribution cannot make"""
import ctypes
import struct

BLOCK = 4096


def make_readable_elf(path):
    """Move QEMU 7.2's program headers to where makedumpfile 1.7 looks for them, behind the header."""
    with open(path, "r+b") as core:
        head = bytearray(core.read(64))
        offset, = struct.unpack_from("<Q", head, 32)
        count, = struct.unpack_from("<H", head, 56)
        core.seek(offset)
        segments = core.read(56 * count)
        first = min(struct.unpack_from("<Q", segments, 56 * i + 8)[0] for i in range(count))
        if first < 64 + len(segments):
            raise ValueError(f"{path}: no room for {count} program headers")
        struct.pack_into("<QQ", head, 32, 64, 0)
        struct.pack_into("<HHHHHH", head, 52, 64, 56, count, 0, 0, 0)
        core.seek(0)
        core.write(head + segments)


def _snappy(page):
    lib = ctypes.CDLL("libsnappy.so.1")
    room = ctypes.c_size_t(lib.snappy_max_compressed_length(ctypes.c_size_t(len(page))))
    out = ctypes.create_string_buffer(room.value)
    if lib.snappy_compress(page, ctypes.c_size_t(len(page)), out, ctypes.byref(room)):
        raise ValueError("snappy_compress")
    return out.raw[:room.value]


def _zstd(page):
    lib = ctypes.CDLL("libzstd.so.1")
    lib.ZSTD_compress.restype = ctypes.c_size_t
    out = ctypes.create_string_buffer(2 * len(page))
    size = lib.ZSTD_compress(out, ctypes.c_size_t(len(out)), page, ctypes.c_size_t(len(page)), 1)
    if size > len(out):
        raise ValueError("ZSTD_compress")
    return out.raw[:size]


# include/diskdump_mod.h of makedumpfile: flags of the header's status and of page descriptors
COMPRESSIONS = {"snappy": (4, _snappy), "zstd": (32, _zstd)}


def recompress(source, target, name):
    """A kdump file whose pages are not compressed, as one whose pages are, by @name."""
    flag, compress = COMPRESSIONS[name]
    with open(source, "rb") as file:
        data = file.read()
    if data[:8] != b"KDUMP   ":
        raise ValueError(f"{source}: no kdump file")
    status, block, sub_blocks, bitmap_blocks = struct.unpack_from("<IiiI", data, 424)
    if block != BLOCK:
        raise ValueError(f"{source}: block size {block}")
    bitmaps = (1 + sub_blocks) * BLOCK
    table = bitmaps + bitmap_blocks * BLOCK
    second = int.from_bytes(data[bitmaps + bitmap_blocks // 2 * BLOCK:table], "little")
    count = bin(second).count("1")
    out = bytearray(data[:table + 24 * count])
    struct.pack_into("<I", out, 424, status & ~0x27 | flag)
    at, chunks = len(out), []
    known = {}
    for i in range(count):
        offset, size, flags, page_flags = struct.unpack_from("<QIIQ", data, table + 24 * i)
        if offset not in known:
            page = data[offset:offset + size]
            if flags & 0x27 or size != BLOCK:
                raise ValueError(f"{source}: page {i} is compressed already")
            packed = compress(page)
            if len(packed) >= BLOCK:
                packed, page_flag = page, 0
            else:
                page_flag = flag
            known[offset] = (at, len(packed), page_flag)
            chunks.append(packed)
            at += len(packed)
        struct.pack_into("<QIIQ", out, table + 24 * i, *known[offset], page_flags)
    with open(target, "wb") as file:
        file.write(out)
        for chunk in chunks:
            file.write(chunk)
