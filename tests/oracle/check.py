#!/usr/bin/env python3
"""Holds `wavesmith` against LLVM and against AITER's code objects.

    check.py corpus  WAVESMITH FILE.tsv.gz gfx950 [--every N]   text and bytes of a corpus: LLVM, the file and us
    check.py emitted WAVESMITH                                  every object we emit, disassembled by LLVM
    check.py objects WAVESMITH DIR [--every N]                  dis, then asm, gives the same bytes; needs no LLVM

Ends with 1 when something differs, and shows the first differences.
"""

import argparse
import concurrent.futures
import gzip
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

import elf

SHOWN = 10
# What may stand as .long in listings of compiled code.
RAW_SHARE = 0.001
# What must be as LLVM does. The rest is where its assembler takes what its disassembler never writes, such as a buffer
# offset of 4096 that becomes 0.
SHARE = {"assemble": 0.97, "disassemble": 0.99}


def run(*command, feed=None):
    done = subprocess.run([str(c) for c in command], input=feed, capture_output=True)
    if done.returncode:
        words = " ".join(str(c) for c in command)
        sys.exit(f"oracle: {words} ended with {done.returncode}\n{done.stderr.decode(errors='replace')[-2000:]}")
    return done.stdout


def report(what, total, differences):
    print(f"  {what}: {total - len(differences)} of {total} equal", flush=True)
    for line in differences[:SHOWN]:
        print(f"    {line}")
    if len(differences) > SHOWN:
        print(f"    {SHOWN} shown of {len(differences)}")
    if not total:
        print("    nothing was compared")
    return not differences and total > 0


def corpus(args):
    import llvm

    with gzip.open(args.file, "rt") as rows:
        rows = [line.rstrip("\n").split("\t") for line in rows if not line.startswith("#")][:: args.every]
    # LLVM's own answer, now, in one piece; the corpus says how long each instruction is.
    code = llvm.assemble("\n".join(row[0] for row in rows) + "\n", args.target)
    disassembler = llvm.Disassembler(args.target)
    table, wrong, silent, at = [], [], 0, 0
    for text, word, *_ in rows:
        size = len(word) // 2
        theirs = code[at : at + size]
        at += size
        if theirs.hex() != word:
            wrong.append(f"`{text}`: corpus {word}, LLVM {theirs.hex()}")
        printed = disassembler.one(theirs)[1]
        # LLVM's C interface gives no text for some words that its assembler makes (odd v_cmpx destinations).
        silent += printed is None
        if printed is not None:
            table.append(f"{text}\t{theirs.hex()}\t{printed}\n")
    # LLVM pads the end with one dword over and over, for the instruction prefetcher.
    padding = code[at:]
    if padding != padding[:4] * (len(padding) // 4):
        wrong.append(f"LLVM made {len(code)} bytes, the corpus has {at}")
    good = report("the corpus is what LLVM says", len(rows), wrong)
    print(f"  left out, LLVM has no text for them: {silent} of {len(rows)}")
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file:
        file.writelines(table)
        file.flush()
        done = subprocess.run(
            [args.wavesmith, "selftest", "isa", file.name, "--target", args.target, "--json"], capture_output=True
        )
    if done.returncode not in (0, 1):
        sys.exit(f"oracle: wavesmith selftest ended with {done.returncode}\n{done.stderr.decode(errors='replace')}")
    for check in json.loads(done.stdout)["checks"]:
        passed, total = check["passed"], check["total"]
        print(f"  {check['what']}: {passed} of {total} as LLVM does ({passed / max(total, 1):.3%})")
        for miss in check["misses"][:SHOWN]:
            print(f"    {miss}")
        if total == 0 or passed < total * SHARE[check["what"].split()[0]]:
            print(f"    fewer than {SHARE[check['what'].split()[0]]:.1%}")
            good = False
    return good


def emitted(args):
    import llvm

    kernels = json.loads(run(args.wavesmith, "kernels", "--json"))["kernels"]
    good = True
    with tempfile.TemporaryDirectory() as scratch:
        for kernel in kernels:
            outs = ["f32", "bf16"] if any(p["name"] == "out" for p in kernel["parameters"]) else [None]
            for target, abi, out in itertools.product(kernel["targets"], ["5", "6"], outs):
                path = pathlib.Path(scratch) / "kernel.co"
                options = ["--out", out] if out else []
                run(args.wavesmith, "emit", kernel["name"], "--target", target, "--abi", abi, "-o", path, *options)
                code = elf.section(path.read_bytes(), ".text")
                theirs = [text for _, _, text in llvm.Disassembler(target).all(code)]
                ours = json.loads(run(args.wavesmith, "dis", path, "--json"))["instructions"]
                ours = [llvm.plain(i["text"]) for i in ours]
                wrong = [
                    f"{i}: LLVM `{a}`, wavesmith `{b}`"
                    for i, (a, b) in enumerate(itertools.zip_longest(theirs, ours))
                    if a != b or a is None
                ]
                what = f"{kernel['name']} {target} abi {abi} {out or ''}".strip()
                good &= report(what, len(theirs), wrong)
    return good


def round_trip(wavesmith, path, scratch):
    """(instructions, those whose text means other bytes and stand as .long, None or what is wrong) of one object."""
    listing = pathlib.Path(scratch) / f"{abs(hash(path))}.s"
    binary = listing.with_suffix(".bin")
    target = next(part for part in path.parts if part in ("gfx942", "gfx950"))
    try:
        for command in (
            ["dis", path, "-o", listing],
            ["asm", listing, "--target", target, "--format", "bin", "-o", binary],
        ):
            done = subprocess.run([wavesmith, *command], capture_output=True)
            if done.returncode:
                return 0, 0, f"{path.name}: {command[0]} ended with {done.returncode}: {done.stderr.decode()[:300]}"
        code = elf.section(path.read_bytes(), ".text")
        back = binary.read_bytes()
        lines = [line for line in listing.read_text().splitlines() if line.startswith("\t")]
        raw = sum(" = " in line for line in lines if line.startswith("\t.long"))
        if code == back:
            return len(lines), raw, None
        at = next((i for i, (a, b) in enumerate(zip(code, back)) if a != b), min(len(code), len(back)))
        return len(lines), raw, f"{path.name}: {len(code)} bytes became {len(back)}, first difference at {at:#x}"
    finally:
        listing.unlink(missing_ok=True)
        binary.unlink(missing_ok=True)


def objects(args):
    paths = sorted(args.dir.rglob("*.co"))[:: args.every]
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor() as pool:
        results = list(pool.map(lambda p: round_trip(args.wavesmith, p, scratch), paths))
    total, raw = sum(r[0] for r in results), sum(r[1] for r in results)
    print(f"  {total} instructions; {raw} have a text that means other bytes and stand as .long")
    good = report("dis, then asm", len(paths), [r[2] for r in results if r[2]])
    # Without a limit a disassembler that writes nothing but .long would pass.
    if raw > total * RAW_SHARE:
        print(f"    more than {RAW_SHARE:.2%} stand as .long")
        return False
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    for function in (corpus, emitted, objects):
        command = commands.add_parser(function.__name__)
        command.set_defaults(function=function)
        command.add_argument("wavesmith", type=pathlib.Path)
        command.add_argument("--every", type=int, default=1, help="take every N-th")
        if function is corpus:
            command.add_argument("file", type=pathlib.Path)
            command.add_argument("target")
        if function is objects:
            command.add_argument("dir", type=pathlib.Path)
    args = parser.parse_args()
    sys.exit(0 if args.function(args) else 1)


if __name__ == "__main__":
    main()
