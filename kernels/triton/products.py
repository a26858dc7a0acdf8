"""Products of matrices in Triton: C = A · B, row-major, in the two ways that its users write them, each in a few tiles.

`tiles` loads by pointers, and Triton makes asynchronous copies of them; `boxes` loads by tensor descriptors, which
become bulk copies on a GPU that has them. libraries.py chooses between the tiles.
"""

import triton
import triton.language as tl


@triton.jit
def place(tile, m, n, ROWS: tl.constexpr, COLUMNS: tl.constexpr, BAND: tl.constexpr):
    """Row and column of a tile: bands of BAND rows of tiles, walked down before right, so that L2 serves neighbours."""
    across = tl.cdiv(n, COLUMNS)
    band = tile // (BAND * across)
    first = band * BAND
    height = min(tl.cdiv(m, ROWS) - first, BAND)
    within = tile % (BAND * across)
    return first + within % height, within // height


@triton.jit
def tiles(a, b, c, m, n, k, ROWS: tl.constexpr, COLUMNS: tl.constexpr, STEP: tl.constexpr, BAND: tl.constexpr,
          PRECISION: tl.constexpr):
    tile_row, tile_column = place(tl.program_id(0), m, n, ROWS, COLUMNS, BAND)
    rows = tile_row * ROWS + tl.arange(0, ROWS)
    columns = tile_column * COLUMNS + tl.arange(0, COLUMNS)
    steps = tl.arange(0, STEP)
    # Beyond the edge the first rows and columns are multiplied once more, and not stored.
    from_a = a + (rows % m)[:, None] * k + steps[None, :]
    from_b = b + steps[:, None] * n + (columns % n)[None, :]
    sums = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for done in range(0, k, STEP):
        left = steps < k - done
        of_a = tl.load(from_a, mask=left[None, :], other=0.0)
        of_b = tl.load(from_b, mask=left[:, None], other=0.0)
        sums = tl.dot(of_a, of_b, sums, input_precision=PRECISION)
        from_a += STEP
        from_b += STEP * n
    inside = (rows < m)[:, None] & (columns < n)[None, :]
    tl.store(c + rows[:, None] * n + columns[None, :], sums.to(c.dtype.element_ty), mask=inside)


@triton.jit
def boxes(a, b, c, m, n, k, ROWS: tl.constexpr, COLUMNS: tl.constexpr, STEP: tl.constexpr, BAND: tl.constexpr,
          PRECISION: tl.constexpr):
    tile_row, tile_column = place(tl.program_id(0), m, n, ROWS, COLUMNS, BAND)
    row, column = tile_row * ROWS, tile_column * COLUMNS
    sums = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for done in range(0, k, STEP):
        of_a = a.load([row, done])
        of_b = b.load([done, column])
        sums = tl.dot(of_a, of_b, sums, input_precision=PRECISION)
    c.store([row, column], sums.to(c.dtype))


# Rows and columns of a tile, step, warps, stages.
NARROW = [(128, 256, 64, 8, 3), (128, 256, 64, 8, 4), (128, 128, 64, 4, 4), (128, 128, 64, 8, 4), (256, 128, 64, 8, 3),
          (64, 256, 64, 4, 4), (64, 128, 64, 4, 5)]
TF32 = [(128, 256, 32, 8, 3), (128, 256, 32, 8, 4), (128, 128, 32, 4, 4), (128, 128, 32, 8, 4), (256, 128, 32, 8, 3),
        (64, 128, 32, 4, 5)]
SIMT = [(128, 128, 16, 8, 3), (128, 64, 16, 4, 4), (64, 64, 16, 4, 4), (128, 128, 32, 8, 3), (64, 64, 32, 4, 3),
        (128, 256, 16, 8, 3)]
CHOICES = {"f32": SIMT, "tf32": TF32, "bf16": NARROW}

# The PTX of what was compiled, by a name of its own.
compiled = {}


def ways(numbers, a, b, c, descriptor):
    """Both kernels' ways to a product: of each tile a name, and what launches it."""
    found = {"triton_tiles": [], "triton_boxes": []}
    for choice in CHOICES[numbers]:
        found["triton_tiles"].append(way(tiles, "tiles", numbers, choice, (a, b, c), c, a.shape[1]))
        # Bulk copies feed tensor cores; a product in float32 has no such kernel.
        if numbers != "f32":
            rows, columns, step, *_ = choice
            parts = [(a, [rows, step]), (b, [step, columns]), (c, [rows, columns])]
            described = tuple(descriptor.from_tensor(matrix, box) for matrix, box in parts)
            found["triton_boxes"].append(way(boxes, "boxes", numbers, choice, described, c, a.shape[1]))
    return {name: each for name, each in found.items() if each}


def way(kernel, name, numbers, choice, matrices, c, k):
    rows, columns, step, warps, stages = choice
    m, n = c.shape
    grid = (triton.cdiv(m, rows) * triton.cdiv(n, columns),)
    precision = "tf32" if numbers == "tf32" else "ieee"

    def call():
        made = kernel[grid](*matrices, m, n, k, ROWS=rows, COLUMNS=columns, STEP=step, BAND=8, PRECISION=precision,
                            num_warps=warps, num_stages=stages)
        known = f"{name}_{numbers}_{rows}x{columns}x{step}_{warps}_{stages}"
        if known not in compiled:
            compiled[known] = made.asm["ptx"]

    return f"{rows}x{columns}x{step}, {warps} warps, {stages} stages", call
