#!/usr/bin/env bash
# Runs tinygrad's test_ops on the stand-in, and compares what fails with tinygrad.txt.
#
# It fetches nothing. Before: cargo build --release -p cornerturn-cuda; the source of tinygrad 0.12.0 from PyPI, unpacked (later
# ones come without their tests); a Python with it, torch, numpy and pytest installed.
#
#   tinygrad.sh PYTHON SOURCE [TEST FILE…]
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
[ $# -ge 2 ] || { echo "usage: tinygrad.sh PYTHON SOURCE [TEST FILE…]" >&2; exit 2; }
python=$1 source=$2
shift 2
[ $# -gt 0 ] || set -- test/test_ops.py
library=$target/release/libcornerturn_cuda.so
nvrtc=$(find "$target/cuda" -name 'libnvrtc.so.*' 2>/dev/null | head -n 1)
headers=$(find "$target/cuda-headers" -name cuda_fp16.h 2>/dev/null | head -n 1)
[ -f "$library" ] || { echo "$library is missing: cargo build --release -p cornerturn-cuda" >&2; exit 4; }
[ -n "$nvrtc" ] || { echo "NVRTC is missing below $target/cuda: cargo cornerturn compile any.cu installs it" >&2; exit 4; }
[ -n "$headers" ] || { echo "cuda_fp16.h is missing below $target/cuda-headers: cargo cornerturn compile any.cu installs it" >&2; exit 4; }

# tinygrad looks in CUDA_PATH for the driver and for headers.
work=$target/acceptance/tinygrad
rm -rf "$work"
mkdir -p "$work"
ln -s "$library" "$work/libcuda.so.1"
ln -s "$nvrtc" "$work/libnvrtc.so"
ln -s "$(dirname "$headers")" "$work/include"
export CUDA_PATH=$work NVRTC_PATH=$work LD_LIBRARY_PATH=$work:$(dirname "$nvrtc") CUDA=1
results=$target/acceptance/tinygrad.results
(cd "$source" && "$python" -m pytest -v --tb=line -p no:cacheprovider "$@") > "$results" 2>&1 || true

passed=$(grep -c '::.* PASSED' "$results" || true)
failed=$(sed -n 's/^FAILED \([^ ]*\).*/\1/p' "$results" | sort)
listed=$({ grep -v '^#' "$here/tinygrad.txt" || true; } | cut -f 1 | sort)
echo "tinygrad: $passed tests pass, $(echo "$failed" | grep -c . || true) fail; all of it is in $results"
[ "$passed" -gt 0 ] || { tail -n 20 "$results" >&2; exit 1; }
news=$(comm -23 <(echo "$failed") <(echo "$listed"))
if [ -n "$news" ]; then
    echo "these fail and are not in tinygrad.txt: $news" >&2
    exit 1
fi
