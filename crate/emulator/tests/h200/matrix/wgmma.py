"""Writes what wgmma is tried with on a GPU: wgmma.py FOLDER TIMES makes wgmma.ptx, wgmma.csv (entry, blocks, words in and out of a block) and wgmma.in.

An entry `t_…` multiplies matrices of chosen values: A from registers, B from shared memory without a swizzle, 8 columns.
An entry `m_…` does the same by mma.sync, each warp for itself.
An entry `b_…` or `a_…` shows where the elements of B or A are read: shared memory holds its own 16-bit indices there,
the other factor is the unit matrix, and the result is written as 16-bit indices.
"""
import random, struct, sys

F16, BF16, TF32 = (5, 10), (8, 7), (8, 10)
E4M3, E5M2 = (4, 3), (5, 2)
FORMATS = {"f16": F16, "bf16": BF16, "tf32": TF32, "e4m3": E4M3, "e5m2": E5M2}
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8, "b1": 1}
EIGHT = ("e4m3", "e5m2")
ALL = range(11)
# The type of the sum, those of A and B, what else, and the kinds of values.
FORMS = (
    [("f32", "f16", "f16", "", ALL), ("f16", "f16", "f16", "", ALL), ("f32", "bf16", "bf16", "", ALL), ("f32", "tf32", "tf32", "", ALL)]
    + [("f32", a, b, "", (0, 1, 3, 4, 6, 10)) for a in EIGHT for b in EIGHT]
    + [("f16", a, b, "", (2, 4, 5, 6, 9)) for a in EIGHT for b in EIGHT]
    + [("s32", a, b, s, (0,)) for a in ("s8", "u8") for b in ("s8", "u8") for s in ("", "satfinite")]
    + [("s32", "b1", "b1", "", (0,))]
    + [("f32", "f16", "f16", "neg_a", (0, 6)), ("f32", "bf16", "bf16", "neg_b", (0, 6)), ("f16", "f16", "f16", "neg_ab", (0, 6))]
    + [("f32", "bf16", "bf16", "sync", (10,)), ("f32", "tf32", "tf32", "sync", (10,))]
    + [("f32", a, b, "sync", (0, 4, 6)) for a in EIGHT for b in EIGHT]
)


def name(form):
    kind = "m" if form[3] == "sync" else "t"
    return "_".join([kind] + [part for part in form[:4] if part and part != "sync"])


def finite(rng, ty, low, high):
    """A random finite value whose exponent lies so far from that of 1."""
    exponent_bits, fraction_bits = FORMATS[ty]
    bias = (1 << exponent_bits - 1) - 1
    most = (1 << exponent_bits) - (1 if ty == "e4m3" else 2)
    exponent = max(0, min(most, bias + rng.randint(low, high)))
    bits = (rng.getrandbits(1) << exponent_bits | exponent) << fraction_bits | rng.getrandbits(fraction_bits)
    if ty == "e4m3" and bits & 0x7f == 0x7f:
        bits ^= 1
    return bits << 13 | rng.getrandbits(13) if ty == "tf32" else bits


def special(rng, ty):
    exponent_bits, fraction_bits = FORMATS[ty]
    sign = rng.getrandbits(1) << (exponent_bits + fraction_bits)
    if ty == "e4m3":
        return sign | rng.choice([0x7f, 0])
    top = ((1 << exponent_bits) - 1) << fraction_bits
    bits = sign | rng.choice([top, top, top | 1 + rng.getrandbits(fraction_bits) % ((1 << fraction_bits) - 1), 0])
    return bits << 13 if ty == "tf32" else bits


def sum_of(rng, ty, low, high):
    exponent_bits, fraction_bits = (8, 23) if ty == "f32" else F16
    bias = (1 << exponent_bits - 1) - 1
    exponent = max(0, min((1 << exponent_bits) - 2, bias + rng.randint(low, high)))
    return (rng.getrandbits(1) << exponent_bits | exponent) << fraction_bits | rng.getrandbits(fraction_bits)


def matrices(rng, form, kind):
    """A as 64 rows, B as 8 columns, C as 64 rows of 8."""
    d, a, b = form[:3]
    depth = 256 // BITS[a]
    if d == "s32":
        bits = BITS[a]
        grid = lambda rows: [[rng.getrandbits(bits) for _ in range(depth)] for _ in range(rows)]
        near = rng.choice([0x7fffffff, 0x80000000])
        return grid(64), grid(8), [[(near + rng.randint(-70000, 70000)) & 0xffffffff for _ in range(8)] for _ in range(64)]
    wide = {"f16": 15, "bf16": 60, "tf32": 60, "e4m3": 7, "e5m2": 15}
    wa, wb = wide[a], wide[b]
    grid = lambda ty, rows, low, high: [[finite(rng, ty, low, high) for _ in range(depth)] for _ in range(rows)]
    sums = lambda low, high: [[sum_of(rng, d, low, high) for _ in range(8)] for _ in range(64)]
    flip = lambda value, ty: value ^ (1 << sum(FORMATS[ty]) + (13 if ty == "tf32" else 0))
    if kind == 0:
        return grid(a, 64, -3, 0), grid(b, 8, -3, 0), sums(-3, 2)
    if kind == 1:
        return grid(a, 64, -200, 200), grid(b, 8, -200, 200), sums(-200, 200)
    if kind == 2:
        x, y, z = grid(a, 64, -wa, wa // 2), grid(b, 8, -wb, wb // 2), sums(-wa - wb, 2)
        half = depth // 2
        for row in x:
            row[half:] = row[:half]
            if rng.random() < 0.5:
                row[rng.randrange(depth)] = finite(rng, a, -wa, 0)
        for row in y:
            row[half:] = [flip(value, b) for value in row[:half]]
        return x, y, z
    if kind == 3:
        return grid(a, 64, -4, 4), grid(b, 8, -4, 4), sums(-20, 34)
    if kind == 4:
        # One large term, others far below it.
        x, y = grid(a, 64, -wa, -wa // 2), grid(b, 8, -wb // 4, 0)
        for row in x:
            for _ in range(rng.randint(1, 2)):
                row[rng.randrange(depth)] = finite(rng, a, -wa // 2, wa // 2)
        return x, y, sums(-40, 4)
    if kind == 5:
        return grid(a, 64, -300, -wa + 2), grid(b, 8, -300, wb), sums(-160, -10)
    if kind == 6:
        x, y, z = grid(a, 64, -4, 4), grid(b, 8, -4, 4), sums(-4, 4)
        for row in x:
            if rng.random() < 0.6:
                row[rng.randrange(depth)] = special(rng, a)
        for row in y:
            if rng.random() < 0.4:
                row[rng.randrange(depth)] = special(rng, b)
        for row in z:
            for at in range(8):
                if rng.random() < 0.1:
                    top = 0xff << 23 if d == "f32" else 31 << 10
                    row[at] = rng.getrandbits(1) << (31 if d == "f32" else 15) | top | rng.choice([0, 0, 1])
        return x, y, z
    if kind == 7:
        top = {"f16": 8, "bf16": 64, "tf32": 64, "e4m3": 4, "e5m2": 8}
        return grid(a, 64, top[a] - 4, top[a]), grid(b, 8, top[b] - 4, top[b]), sums(8, 16) if d == "f16" else sums(100, 127)
    if kind == 8:
        zero = lambda ty: rng.getrandbits(1) << (sum(FORMATS[ty]) + (13 if ty == "tf32" else 0))
        x, y, z = grid(a, 64, -4, 4), grid(b, 8, -4, 4), sums(-30, -10)
        x = [[zero(a) if rng.random() < 0.9 else value for value in row] for row in x]
        y = [[zero(b) if rng.random() < 0.5 else value for value in row] for row in y]
        z = [[rng.getrandbits(1) << (31 if d == "f32" else 15) if rng.random() < 0.7 else value for value in row] for row in z]
        return x, y, z
    if kind == 10:
        # Next to the least exponent of f32: a term, and some that are far smaller.
        x, y = ([[0] * depth for _ in range(rows)] for rows in (64, 8))
        least = -126 if a in ("bf16", "tf32") else -16
        for row in y:
            row[:] = [finite(rng, b, -6, 6) for _ in row]
        for row in x:
            top = rng.randint(least - 6, least + 2)
            row[rng.randrange(depth)] = finite(rng, a, top, top)
            row[rng.randrange(depth)] = finite(rng, a, top - 12, top)
        if least == -126:
            # The factors of A cannot be so small: those of B are.
            y = [[finite(rng, b, -30, -4) for _ in row] for row in y]
            x = [[finite(rng, a, -122, -98) if value else 0 for value in row] for row in x]
        else:
            x = [row if rng.random() < 0.5 else [0] * depth for row in x]
        return x, y, [[sum_of(rng, d, -160, -120) if rng.random() < 0.5 else 0 for _ in range(8)] for _ in range(64)]
    # Few bits: sums near ties.
    few = lambda ty: finite(rng, ty, -5, 5) & ~((1 << sum(FORMATS[ty]) - FORMATS[ty][0] - 1 + (13 if ty == "tf32" else 0)) - 1)
    x, y = ([[few(ty) for _ in range(depth)] for _ in range(rows)] for ty, rows in ((a, 64), (b, 8)))
    keep = 0xfffff800 if d == "f32" else 0xffff
    return x, y, [[sum_of(rng, d, -8, 12) & keep for _ in range(8)] for _ in range(64)]


def pack(values, bits):
    """Elements side by side, in words."""
    whole = 0
    for at, value in enumerate(values):
        whole |= value << at * bits
    return [whole >> 32 * at & 0xffffffff for at in range(len(values) * bits // 32)]


def block_of(rng, form, kind, adds):
    d, a = form[:2]
    x, y, z = matrices(rng, form, kind)
    bits = BITS[a]
    x, y = [pack(row, bits) for row in x], [pack(row, bits) for row in y]
    words = [0, 0, 0, 0, int(adds), 0, 0, 0]
    # B: two cores of 8 columns by 16 bytes.
    for core in range(2):
        for column in range(8):
            words += y[column][4 * core : 4 * core + 4]
    # 8 words to a row: the lane's word of each half, of two rows.
    for thread in range(128):
        warp, row, at = thread // 32, thread % 32 // 4, thread % 4
        for register in range(4):
            words.append(x[16 * warp + row + 8 * (register % 2)][at + 4 * (register // 2)])
    for thread in range(128):
        warp, row, at = thread // 32, thread % 32 // 4, thread % 4
        for half in range(2):
            pair = z[16 * warp + row + 8 * half][2 * at : 2 * at + 2]
            words += [pair[0] | pair[1] << 16] if d == "f16" else pair
    return words


def entry_of(form):
    d, a, b, extra = form[:4]
    count = 2 if d == "f16" else 4
    reg = "f32" if d == "f32" else "b32"
    into = 8 + 64 + 512 + 128 * count
    depth = 256 // BITS[a]
    kind = {"s32": extra and ".satfinite"}.get(d, "")
    popc = ".and.popc" if a == "b1" else ""
    scales = "" if d == "s32" else {"neg_a": ", -1, 1", "neg_b": ", 1, -1", "neg_ab": ", -1, -1"}.get(extra, ", 1, 1")
    trans = ", 0" if a in ("f16", "bf16") else ""
    acc = ", ".join(f"%c{at}" for at in range(count))
    lines = [f".visible .entry {name(form)}(.param .u64 p, .param .u64 q) .maxntid 128, 1, 1 {{",
             f".reg .b32 %r<16>; .reg .b64 %l<12>; .reg .pred %p<3>; .reg .b32 %a<4>; .reg .{reg} %c<{count}>;",
             "ld.param.u64 %l1, [p]; ld.param.u64 %l2, [q]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;",
             f"mul.wide.u32 %l3, %r2, {4 * into}; add.u64 %l1, %l1, %l3; mul.wide.u32 %l3, %r2, {512 * count}; add.u64 %l2, %l2, %l3;",
             "mov.u32 %r3, smem; ld.global.u32 %r4, [%l1+16];",
             "mul.wide.u32 %l4, %r1, 4; add.u64 %l5, %l1, %l4; shl.b32 %r5, %r1, 2; add.u32 %r5, %r3, %r5;",
             "setp.ge.u32 %p1, %r1, 64;", "@%p1 bra FILLED;", "ld.global.u32 %r6, [%l5+32]; st.shared.u32 [%r5], %r6;", "FILLED:",
             "mul.wide.u32 %l6, %r1, 16; add.u64 %l6, %l1, %l6;"]
    lines += [f"ld.global.b32 %a{at}, [%l6+{32 + 256 + 4 * at}];" for at in range(4)]
    lines += [f"mul.wide.u32 %l7, %r1, {4 * count}; add.u64 %l8, %l1, %l7; add.u64 %l9, %l2, %l7;"]
    lines += [f"ld.global.{reg} %c{at}, [%l8+{32 + 256 + 2048 + 4 * at}];" for at in range(count)]
    if extra == "sync":
        # Lane l has words of column l / 4.
        lines += ["and.b32 %r8, %r1, 31; shr.u32 %r9, %r8, 2; and.b32 %r10, %r8, 3; shl.b32 %r9, %r9, 2; add.u32 %r9, %r9, %r10;",
                  "mul.wide.u32 %l10, %r9, 4; add.u64 %l10, %l1, %l10; ld.global.u32 %r11, [%l10+32]; ld.global.u32 %r12, [%l10+160];",
                  f"mma.sync.aligned.m16n8k{depth}.row.col.{d}.{a}.{b}.{d} {{{acc}}}, {{%a0, %a1, %a2, %a3}}, {{%r11, %r12}}, {{{acc}}};"]
        lines += [f"st.global.{reg} [%l9+{4 * at}], %c{at};" for at in range(count)]
        return "\n".join(lines + ["ret; }"]), into, 128 * count
    lines += ["fence.proxy.async; bar.sync 0;", "setp.ne.b32 %p2, %r4, 0; shr.u32 %r7, %r3, 4; cvt.u64.u32 %l10, %r7;",
              f"or.b64 %l10, %l10, {8 << 16 | 16 << 32};", "wgmma.fence.sync.aligned;",
              f"wgmma.mma_async.sync.aligned.m64n8k{depth}.{d}.{a}.{b}{popc}{kind} {{{acc}}}, {{%a0, %a1, %a2, %a3}}, %l10, %p2{scales}{trans};",
              "wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 0;"]
    lines += [f"st.global.{reg} [%l9+{4 * at}], %c{at};" for at in range(count)]
    return "\n".join(lines + ["ret; }"]), into, 128 * count


IMAGE = 36 << 10


def probe_of(which, transposed):
    """B of 128 columns, whose rows warp 0 finds, or A of 64 rows."""
    columns = 128 if which == "b" else 16
    count = columns // 2
    acc = ", ".join(f"%c{at}" for at in range(count))
    fill = [".visible .entry {}(.param .u64 p, .param .u64 q) .maxntid 128, 1, 1 {{".format(f"{which}_{'mn' if transposed else 'k'}"),
            f".reg .b32 %r<20>; .reg .b64 %l<12>; .reg .pred %p<6>; .reg .b32 %a<4>; .reg .f32 %c<{count}>; .reg .b16 %h<2>;",
            "ld.param.u64 %l1, [p]; ld.param.u64 %l2, [q]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;",
            "mul.wide.u32 %l3, %r2, 32; add.u64 %l1, %l1, %l3; mul.wide.u32 %l3, %r2, {}; add.u64 %l2, %l2, %l3;".format(4096 if which == "b" else 2048),
            "mov.u32 %r3, smem; ld.global.u64 %l4, [%l1]; shr.u32 %r4, %r3, 4; cvt.u64.u32 %l5, %r4; add.u64 %l4, %l4, %l5;",
            "mov.u32 %r5, %r1;", "AGAIN:", "shl.b32 %r6, %r5, 1; add.u32 %r7, %r6, 1; shl.b32 %r7, %r7, 16; or.b32 %r6, %r6, %r7;",
            f"setp.lt.u32 %p1, %r5, {IMAGE // 4}; selp.b32 %r6, %r6, 0, %p1;",
            "shl.b32 %r7, %r5, 2; add.u32 %r7, %r3, %r7; st.shared.b32 [%r7], %r6;",
            f"add.u32 %r5, %r5, 128; setp.lt.u32 %p1, %r5, {(IMAGE + 512) // 4};", "@%p1 bra AGAIN;", "bar.sync 0;",
            "shr.u32 %r8, %r1, 2; and.b32 %r8, %r8, 7; and.b32 %r9, %r1, 3;"]
    if which == "b":
        fill += ["shr.u32 %r10, %r8, 1; setp.eq.u32 %p2, %r10, %r9; setp.lt.and.u32 %p2, %r1, 32, %p2; and.b32 %r11, %r8, 1; shl.b32 %r11, %r11, 4; mov.b32 %r12, 0x3c00; shl.b32 %r12, %r12, %r11;",
                 "selp.b32 %a0, %r12, 0, %p2; mov.b32 %a1, 0; mov.b32 %a2, 0; mov.b32 %a3, %a0;"]
    else:
        fill += ["setp.ge.u32 %p2, %r1, 16;", "@%p2 bra READY;",
                 "and.b32 %r10, %r1, 8; shr.u32 %r11, %r10, 3; mul.lo.u32 %r11, %r11, 384; and.b32 %r12, %r1, 7; mul.lo.u32 %r12, %r12, 18; add.u32 %r11, %r11, %r12; add.u32 %r11, %r11, %r3; mov.b16 %h0, 0x3c00;",
                 f"st.shared.b16 [%r11+{IMAGE}], %h0;", "READY:"]
    fill += [f"mov.f32 %c{at}, 0f00000000;" for at in range(count)]
    fill += ["fence.proxy.async; bar.sync 0;", "wgmma.fence.sync.aligned; setp.eq.u32 %p3, %r1, %r1;"]
    if which == "b":
        fill += [f"wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {{{acc}}}, {{%a0, %a1, %a2, %a3}}, %l4, %p3, 1, 1, {transposed};"]
    else:
        fill += [f"add.u32 %r13, %r3, {IMAGE}; shr.u32 %r13, %r13, 4; cvt.u64.u32 %l6, %r13; or.b64 %l6, %l6, {8 << 16 | 16 << 32};",
                 f"wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {{{acc}}}, %l4, %l6, %p3, 1, 1, {transposed}, 0;"]
    fill += ["wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 0;"]
    # As 16-bit indices, row by row.
    if which == "b":
        fill += ["setp.ge.u32 %p4, %r1, 32;", "@%p4 bra DONE;"]
    fill += ["shr.u32 %r14, %r1, 5; shl.b32 %r14, %r14, 4; add.u32 %r14, %r14, %r8; mul.lo.u32 %r14, %r14, {}; shl.b32 %r15, %r9, 2; add.u32 %r14, %r14, %r15; cvt.u64.u32 %l7, %r14; add.u64 %l7, %l2, %l7;".format(2 * columns)]
    for at in range(count):
        row, column = at // 2 % 2 * 8, at // 4 * 8 + at % 2
        fill += [f"cvt.rn.f16.f32 %h1, %c{at}; st.global.b16 [%l7+{row * 2 * columns + 2 * column}], %h1;"]
    return "\n".join(fill + (["DONE:"] if which == "b" else []) + ["ret; }"]), 8, (1024 if which == "b" else 512)


def descriptors(which, transposed):
    """Layouts (0 none, 1 128 bytes, 2 64, 3 32), leading and stride offsets, start, base offset, all within the image."""
    found = []
    for layout, atom in ((0, 128), (3, 256), (2, 512), (1, 1024)):
        for leading, stride in ((atom, 2 * atom), (2 * atom, atom), (atom, atom), (0, atom), (512, 1024), (16, 1024), (1024, 512), (2048, 16), (144, 272)):
            found.append((layout, leading, stride, 0, 0))
        for start in (16, 32, 64, 96, 128, 256, 512, 640):
            found.append((layout, 512, 1024, start, 0))
        for start, base in ((0, 1), (128, 1), (256, 2), (512, 4), (896, 7), (384, 5)):
            found.append((layout, 512, 1024, start, base))
    return [lead >> 4 << 16 | stride >> 4 << 32 | start >> 4 | base << 49 | layout << 62 for layout, lead, stride, start, base in found]


def main():
    folder, times = sys.argv[1], int(sys.argv[2])
    ptx, table, data = [".version 8.4\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 smem[];"], [], []
    for number, form in enumerate(FORMS):
        rng = random.Random(number)
        text, words_in, words_out = entry_of(form)
        ptx.append(text)
        blocks = [block_of(rng, form, kind, True) for _ in range(times) for kind in form[4]]
        if form[3] != "sync":
            blocks.append(block_of(rng, form, 0, False))
        assert all(len(block) == words_in for block in blocks), form
        data += [word for block in blocks for word in block]
        table.append((name(form), len(blocks), words_in, words_out))
    for which in "ba":
        for transposed in (0, 1):
            text, words_in, words_out = probe_of(which, transposed)
            ptx.append(text)
            found = descriptors(which, transposed)
            for descriptor in found:
                data += [descriptor & 0xffffffff, descriptor >> 32] + [0] * 6
            table.append((f"{which}_{'mn' if transposed else 'k'}", len(found), words_in, words_out))
    open(f"{folder}/wgmma.ptx", "w").write("\n".join(ptx) + "\n")
    open(f"{folder}/wgmma.csv", "w").write("".join(",".join(map(str, row)) + "\n" for row in table))
    open(f"{folder}/wgmma.in", "wb").write(struct.pack(f"<{len(data)}I", *data))


main()
