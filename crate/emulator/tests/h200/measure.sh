# Compiles the probes and the kernels, and counts them with ncu: measure.sh FOLDER (for what comes out)
set -u
here=$(cd "$(dirname "$0")" && pwd)
cd "$1" || exit
nvcc -O3 -arch=sm_90 -diag-suppress 177,550 -cubin "$here/probes.cu" -o probes.cubin || exit
nvcc -O3 -arch=sm_90 -diag-suppress 177 -cubin "$here/kernels.cu" -o kernels.cubin || exit
nvcc -O2 "$here/measure.cpp" -lcuda -o measure || exit
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader > device
ncu --version | tail -1 >> device
ncu --query-metrics > known
count() { # cubin table metrics
    ncu --clock-control none --cache-control none --csv --page raw --metrics "$(python3 "$here/metrics.py" "$3" < known)" \
        --log-file "$2.ncu" ./measure "$1.cubin" "$2.txt"
}
cp "$here/kernels.txt" "$here/copies.txt" .
count kernels kernels instructions
count probes copies copies
# In parts, since ncu writes its table at the end only.
split -l 200 -d --additional-suffix=.txt "$here/probes.txt" probes
for part in probes??.txt; do count probes "${part%.txt}" cache; done
