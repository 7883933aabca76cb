#!/usr/bin/env bash
# Our assembler and disassembler against LLVM's, one core each, on the code of one object.
#   isa/benches/against-llvm.sh OBJECT.co [gfx942] [ROUNDS]
# Needs llvm-mc and llvm-objdump (LLVM_SUFFIX=-19 by default; LLVM 19 knows gfx942 and not gfx950).
# Prints instructions per second of user time, the fastest of ROUNDS runs each, and the ratios.
set -euo pipefail
object=${1:?usage: against-llvm.sh OBJECT.co [TARGET] [ROUNDS]}
target=${2:-gfx942}
rounds=${3:-5}
suffix=${LLVM_SUFFIX--19}
here=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cargo build --quiet --release --manifest-path "$here/Cargo.toml" -p wavesmith-isa --example textspeed
dir=${CARGO_TARGET_DIR:-$here/target}/release

# One instruction a line, as LLVM prints them; branch distances are numbers. Ten copies outweigh start-up.
"llvm-objdump$suffix" -d --no-show-raw-insn --mcpu="$target" "$object" |
    sed -nE 's#^\t([a-z].*[^ ]) *//.*#\1#p' | grep -vE '_cbranch|s_branch|s_call|<' > "$work/once.s"
for _ in 1 2 3 4 5 6 7 8 9 10; do cat "$work/once.s"; done > "$work/code.s"
lines=$(wc -l < "$work/code.s")
"llvm-mc$suffix" -triple amdgcn-amd-amdhsa -mcpu="$target" -filetype=obj -o "$work/code.o" "$work/code.s"

# Least user time of the command over the rounds, in seconds.
least() {
    for _ in $(seq "$rounds"); do
        { TIMEFORMAT=%U; time "$@" > "$work/out" 2> "$work/err"; } 2>&1 | tail -1
    done | sort -n | head -1
}
mc=$(least "llvm-mc$suffix" -triple amdgcn-amd-amdhsa -mcpu="$target" -filetype=obj -o "$work/again.o" "$work/code.s")
dump=$(least "llvm-objdump$suffix" -d --mcpu="$target" "$work/code.o")
# Many rounds, so that starting up does not count.
passes=40
parse=$(least "$dir/examples/textspeed" "$work/code.s" "$target" parse "$passes")
print=$(least "$dir/examples/textspeed" "$work/code.s" "$target" print "$passes")
awk -v n="$lines" -v mc="$mc" -v d="$dump" -v p="$parse" -v q="$print" -v k="$passes" 'BEGIN {
    p /= k; q /= k
    printf "%d instructions\n", n
    printf "text to bits  llvm-mc      %6.2f M/s  ours %6.2f M/s  ratio %5.1f\n", n / mc / 1e6, n / p / 1e6, mc / p
    printf "bits to text  llvm-objdump %6.2f M/s  ours %6.2f M/s  ratio %5.1f\n", n / d / 1e6, n / q / 1e6, d / q
}'
