// y[i] = 3 * x[i] + add, modulo 2^32.
//
// x, y: items numbers, and items may be anything. Block 256; it covers 1024 items, four a thread.

extern "C" __global__ void wide_tail(const unsigned* __restrict__ x, unsigned* __restrict__ y,
                                     unsigned items, unsigned add)
{
//@ starter
    // TODO The result is right for every number of items. But each of the four numbers of a thread is
    // a request of its own. Move 16 bytes a lane, and keep the numbers behind the last whole
    // piece of four right.
    const size_t first = size_t(blockIdx.x) * 1024 + threadIdx.x;
    for (unsigned k = 0; k < 1024; k += 256)
        if (first + k < items)
            y[first + k] = 3 * x[first + k] + add;
//@ solution
    const size_t first = size_t(blockIdx.x) * 1024 + threadIdx.x * 4;
    if (first + 4 <= items) {
        const uint4 four = reinterpret_cast<const uint4*>(x)[first / 4];
        reinterpret_cast<uint4*>(y)[first / 4] =
            make_uint4(3 * four.x + add, 3 * four.y + add, 3 * four.z + add, 3 * four.w + add);
    } else {
        // One thread of the grid comes here with one to three numbers, the others with none.
        for (size_t i = first; i < items; i++)
            y[i] = 3 * x[i] + add;
    }
//@ a_thread_each
    // What is left behind the last whole piece goes to three threads of the last block.
    const size_t pieces = items / 4, piece = size_t(blockIdx.x) * 256 + threadIdx.x;
    if (piece < pieces) {
        const uint4 four = reinterpret_cast<const uint4*>(x)[piece];
        reinterpret_cast<uint4*>(y)[piece] =
            make_uint4(3 * four.x + add, 3 * four.y + add, 3 * four.z + add, 3 * four.w + add);
    }
    const size_t left = pieces * 4 + threadIdx.x;
    if (blockIdx.x == gridDim.x - 1 && left < items)
        y[left] = 3 * x[left] + add;
//@ no_tail
    // What is left behind the last whole piece is forgotten.
    const size_t first = size_t(blockIdx.x) * 1024 + threadIdx.x * 4;
    if (first + 4 <= items) {
        const uint4 four = reinterpret_cast<const uint4*>(x)[first / 4];
        reinterpret_cast<uint4*>(y)[first / 4] =
            make_uint4(3 * four.x + add, 3 * four.y + add, 3 * four.z + add, 3 * four.w + add);
    }
//@ rounded_up
    // The piece begins inside the array, and may end outside.
    const size_t first = size_t(blockIdx.x) * 1024 + threadIdx.x * 4;
    if (first < items) {
        const uint4 four = reinterpret_cast<const uint4*>(x)[first / 4];
        reinterpret_cast<uint4*>(y)[first / 4] =
            make_uint4(3 * four.x + add, 3 * four.y + add, 3 * four.z + add, 3 * four.w + add);
    }
//@ eight_bytes
    const size_t first = size_t(blockIdx.x) * 1024 + threadIdx.x * 2;
    for (unsigned k = 0; k < 1024; k += 512) {
        if (first + k + 2 <= items) {
            const uint2 two = reinterpret_cast<const uint2*>(x)[(first + k) / 2];
            reinterpret_cast<uint2*>(y)[(first + k) / 2] = make_uint2(3 * two.x + add, 3 * two.y + add);
        } else if (first + k < items) {
            y[first + k] = 3 * x[first + k] + add;
        }
    }
//@ loads_only
    const size_t first = size_t(blockIdx.x) * 1024 + threadIdx.x * 4;
    if (first + 4 <= items) {
        const uint4 four = reinterpret_cast<const uint4*>(x)[first / 4];
        volatile unsigned* to = y + first;
        to[0] = 3 * four.x + add;
        to[1] = 3 * four.y + add;
        to[2] = 3 * four.z + add;
        to[3] = 3 * four.w + add;
    } else {
        for (size_t i = first; i < items; i++)
            y[i] = 3 * x[i] + add;
    }
//@ whole_arrays_only
    // All or nothing: where 4 does not divide the number of items, nobody moves 16 bytes, and nobody looks at the tail.
    const size_t first = size_t(blockIdx.x) * 1024 + threadIdx.x * 4;
    if (items % 4 == 0) {
        if (first < items) {
            const uint4 four = reinterpret_cast<const uint4*>(x)[first / 4];
            reinterpret_cast<uint4*>(y)[first / 4] =
                make_uint4(3 * four.x + add, 3 * four.y + add, 3 * four.z + add, 3 * four.w + add);
        }
    } else {
        for (unsigned k = 0; k < 4; k++)
            if (first < items)
                y[first + k] = 3 * x[first + k] + add;
    }
//@ end
}
