#!/usr/bin/env python3
"""Seeds for the fuzz targets, from the tests' data: fuzz/seeds.py, then cargo +nightly fuzz run TARGET."""

import gzip
import pathlib
import random

here = pathlib.Path(__file__).resolve().parent
root = here.parent
choose = random.Random(1)


def put(target, name, data):
    path = here / "corpus" / target / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


for which, gpu in enumerate(["gfx942", "gfx950"]):
    with gzip.open(root / f"tests/data/isa/corpus_{gpu}.tsv.gz", "rt") as rows:
        rows = [line.rstrip("\n").split("\t") for line in rows if not line.startswith("#")]
    # One row of each mnemonic.
    choose.shuffle(rows)
    rows = list({row[0].split(" ")[0]: row for row in rows}.values())
    for i, (text, code, *_) in enumerate(rows):
        put("decode", f"{gpu}-{i}", bytes([which]) + bytes.fromhex(code))
        put("parse", f"{gpu}-{i}", bytes([which]) + text.encode())

objects = [p for p in root.glob("**/tests/data/**/*") if p.suffix in (".co", ".hsaco") and p.stat().st_size < 20_000]
for i, path in enumerate(sorted(objects)):
    put("object", f"{i}-{path.name}", path.read_bytes())
for i, path in enumerate(sorted(p for p in root.glob("**/tests/data/**/*.s") if p.stat().st_size < 20_000)):
    put("source", f"{i}-{path.name}", path.read_bytes())
put("source", "smallest", b".amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\n.text\nmain:\n  s_endpgm\n")
