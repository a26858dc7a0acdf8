#!/usr/bin/env bash
# Runs numba's own tests of its CUDA target on the stand-in, and compares what fails with numba.txt.
#
# It fetches nothing. Before: cargo build --release -p cornerturn-cuda; a Python with numba 0.60.0, whose CUDA target hands PTX to
# the driver, nvidia-cuda-nvcc-cu12 and nvidia-cuda-runtime-cu12 12.4 (libNVVM, and the library that says its version).
#
#   numba.sh PYTHON [TEST MODULE…]
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
[ $# -ge 1 ] || { echo "usage: numba.sh PYTHON [TEST MODULE…]" >&2; exit 2; }
python=$1
shift
tests=numba.cuda.tests.cudapy
if [ $# -eq 0 ]; then
    set -- $tests.test_sm $tests.test_sm_creation $tests.test_sync $tests.test_cooperative_groups $tests.test_vector_type \
        $tests.test_warp_ops $tests.test_atomics
fi
library=$target/release/libcornerturn_cuda.so
packages=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')/nvidia
[ -f "$library" ] || { echo "$library is missing: cargo build --release -p cornerturn-cuda" >&2; exit 4; }
[ -d "$packages/cuda_nvcc/nvvm" ] || { echo "libNVVM is missing: pip install nvidia-cuda-nvcc-cu12==12.4.131" >&2; exit 4; }
[ -d "$packages/cuda_runtime" ] || { echo "libcudart is missing: pip install nvidia-cuda-runtime-cu12==12.4.127" >&2; exit 4; }

work=$target/acceptance/numba
rm -rf "$work"
mkdir -p "$work/lib"
ln -s "$library" "$work/lib/libcuda.so.1"
ln -s "$library" "$work/lib/libcuda.so"
ln -s "$packages/cuda_runtime/lib/libcudart.so.12" "$work/lib/libcudart.so"
ln -s "$packages/cuda_nvcc/nvvm" "$work/nvvm"
export CUDA_HOME=$work
export LD_LIBRARY_PATH=$work/lib:$packages/cuda_nvcc/nvvm/lib64
results=$target/acceptance/numba.results
(cd "$work" && "$python" -m numba.runtests -v "$@") > "$results" 2>&1 || true

failed=$(sed -n 's/^\(ERROR\|FAIL\): [^ ]* (\([^)]*\)).*/\2/p' "$results" | sort -u)
listed=$({ grep -v '^#' "$here/numba.txt" || true; } | cut -f 1 | sort)
echo "numba: $(sed -n 's/^Ran \([0-9]*\) tests.*/\1/p' "$results") tests ran, $(echo "$failed" | grep -c . || true) fail; all of it is in $results"
grep -q '^Ran ' "$results" || { tail -n 20 "$results" >&2; exit 1; }
news=$(comm -23 <(echo "$failed") <(echo "$listed"))
if [ -n "$news" ]; then
    echo "these fail and are not in numba.txt: $news" >&2
    exit 1
fi
