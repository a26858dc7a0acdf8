#!/usr/bin/env bash
# Runs cudarc's own tests of its driver and NVRTC parts on the stand-in, and compares what fails with cudarc.txt.
#
# It fetches nothing: cudarc's source is the one that cargo has for this workspace, NVRTC the one that the project's own
# commands have installed. Before: cargo build --release -p cornerturn-cuda, and any `cargo cornerturn compile`.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
library=$target/release/libcornerturn_cuda.so
nvrtc=$(find "$target/cuda" -name 'libnvrtc.so.*' 2>/dev/null | head -n 1)
version=$(sed -n 's/^cudarc = { version = "=\([0-9.]*\)".*/\1/p' "$root/Cargo.toml")
source=$(find "${CARGO_HOME:-$HOME/.cargo}/registry/src" -maxdepth 2 -name "cudarc-$version" | head -n 1)
[ -f "$library" ] || { echo "$library is missing: cargo build --release -p cornerturn-cuda" >&2; exit 4; }
[ -n "$nvrtc" ] || { echo "NVRTC is missing below $target/cuda: cargo cornerturn compile any.cu installs it" >&2; exit 4; }
[ -n "$source" ] || { echo "cudarc $version is not in cargo's registry: cargo fetch" >&2; exit 4; }

work=$target/acceptance
rm -rf "$work/cudarc" "$work/lib"
mkdir -p "$work/lib"
cp -r "$source" "$work/cudarc"
chmod -R u+w "$work/cudarc"
# A workspace of its own.
printf '\n[workspace]\n' >> "$work/cudarc/Cargo.toml"
ln -s "$library" "$work/lib/libcuda.so"
ln -s "$library" "$work/lib/libcuda.so.1"
ln -s "$nvrtc" "$work/lib/libnvrtc.so"

cd "$work/cudarc"
export CARGO_TARGET_DIR=$work/target
features=std,driver,nvrtc,dynamic-loading,cuda-12080
binary=$(cargo test --offline --release --no-default-features --features "$features" --lib --no-run 2>&1 |
    sed -n 's/.*Executable.*(\(.*\))$/\1/p')
export LD_LIBRARY_PATH=$work/lib:$(dirname "$nvrtc") CORNERTURN_DEVICES=2
results=$work/cudarc.results
"$binary" 2>/dev/null | grep '^test .* \.\.\. ' > "$results" || true
# Those that must run by themselves, or ask for several devices.
for test in $("$binary" --list --ignored 2>/dev/null | sed -n 's/: test$//p'); do
    "$binary" --exact "$test" --ignored 2>/dev/null | grep '^test .* \.\.\. ' >> "$results" || true
done

passed=$(grep -c ' ok$' "$results")
failed=$(sed -n 's/^test \([^ ]*\).* FAILED$/\1/p' "$results" | sort)
listed() { grep -v '^#' "$here/cudarc.txt" | awk -F '\t' -v kind="$1" '$2 ~ kind { print $1 }' | sort; }
echo "cudarc $version: $passed tests pass, $(echo "$failed" | grep -c . || true) fail"
news=$(comm -23 <(echo "$failed") <(listed .))
gone=$(comm -13 <(echo "$failed") <(listed '^always$'))
if [ -n "$news$gone" ]; then
    echo "what fails is not what cudarc.txt lists; not listed: ${news:-none}; listed, and passing: ${gone:-none}" >&2
    exit 1
fi
