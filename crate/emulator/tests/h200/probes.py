"""Writes probes.txt: every probe kernel of probes.cu with the patterns that suit its width."""
import random, re, pathlib

here = pathlib.Path(__file__).parent
entries = re.findall(r"^(?:(?:SHARED_)?PROBE|LOCAL_PROBE|COPY)\((\w+),|__global__ void (\w+)\(const", (here / "probes.cu").read_text(), re.M)
entries = [a or b for a, b in entries if (a or b) != "name"]


def width(entry):
    """Bytes of one lane's access."""
    if re.search(r"matrix|bulk|_16|v2_u64|v4_u32|nc_v4|global_v4$|v4_f32", entry) and "_u16" not in entry and "b16" not in entry and "f16" not in entry:
        return 16
    if re.search(r"64$|v2_u32|v4_u16|v2_f32|ca_8", entry):
        return 8
    if re.search(r"(8|_u8)$", entry) and "v4" not in entry:
        return 1
    if re.search(r"16$", entry) and not entry.endswith("v2_u16"):
        return 2
    return 4


def patterns(entry, w):
    rnd = random.Random(entry)
    lanes = range(32)
    local, shared, const = entry.startswith("local"), "shared" in entry or "matrix" in entry or "scattered" in entry, "const" in entry
    window = 2048 if local else 16384
    every = {
        "stride1": [i * w for i in lanes],
        "stride2": [i * 2 * w for i in lanes],
        "stride3": [i * 3 * w for i in lanes],
        "stride8": [i * 8 * w % window for i in lanes],
        "stride33": [i * 33 * w % window for i in lanes],
        "broadcast": [5 * w] * 32,
        "shifted": [i * w + w for i in lanes],
        "reversed": [(31 - i) * w for i in lanes],
        "pairs": [i // 2 * w for i in lanes],
        "columns4": [i % 8 * 16 * max(w, 4) + i // 8 * w for i in lanes],
        "swizzled": [(i // 4 * 32 * w + (i % 4 ^ i // 4 & 3) * 8 * w) % window for i in lanes],
        "edge": [i * w if i < 19 else None for i in lanes],
        "odd": [i * w if i % 2 else None for i in lanes],
        "one": [i * w if i == 21 else None for i in lanes],
        "none": [None] * 32,
    }
    atomic = "atom" in entry or "red_" in entry
    for index in range(8 if atomic else 3):
        span = [128, 512, 2048, 256, 1024, 128, 256, 512][index]
        some = index % 3 == 2
        every[f"random{index}"] = [None if some and rnd.random() < 0.4 else rnd.randrange(max(span // w, 2)) * w for _ in lanes]
    for name in ("shifted", "swizzled", "columns4", "stride8") if atomic else ("stride8", "random1"):
        del every[name]
    if "matrix" in entry:
        every = {n: [0 if o is None else o for o in p] for n, p in every.items() if n not in ("one", "none", "odd", "edge")}
        every["rows144"] = [i * 144 for i in lanes]
        every["rows128"] = [i * 128 for i in lanes]
        every["rows8of128"] = [i % 8 * 128 + i // 8 * 16 for i in lanes]
    if "bulk" in entry:
        every = {f"offset{o}": [o if i == 3 else None for i in lanes] for o in (0, 16, 48, 144)}
    return every


# Accesses with rules of their own get every pattern; the others (`patterns.csv` has theirs) a few.
OWN_RULE = re.compile(r"atom_global_(add_u32|cas_b32|add_u64|add_f32)$|red_global_(add_u32|add_u64|add_f64|v4_f32)$"
                      r"|atom_shared_(add_u32|cas_b32|exch_b64|cas_b64|unused_one)$|^local|^cp_async_c._(8|16)|^ldmatrix_x[124]$|^stmatrix|^bulk")
FEW = ("stride3", "edge", "none", "random2", "rows144")
COPY = re.compile("cp_async|ldmatrix|stmatrix|bulk")
COPY_PATTERNS = ("stride3", "stride33", "edge", "none", "random2", "rows144", "rows128", "offset16")


def main():
    tables = {"probes": [], "copies": []}
    for entry in entries:
        for name, offsets in patterns(entry, width(entry)).items():
            copy = COPY.search(entry)
            if not OWN_RULE.search(entry) and name not in FEW or copy and name not in COPY_PATTERNS:
                continue
            text = ",".join("-" if o is None else str(o) for o in offsets)
            for magic in (("16", "32", "80", "1024", "4096") if "bulk" in entry else ("-12345",)):
                suffix = f"/{magic}" if "bulk" in entry else ""
                tables["copies" if copy else "probes"].append(
                    f"{entry}/{name}{suffix} {entry} 1,1,1 32,1,1 0 lanes:{text} u32:zero:16384 u32:zero:1 i32:{magic}")
    for table, lines in tables.items():
        (here / f"{table}.txt").write_text("\n".join(["# Written by probes.py."] + lines) + "\n")


main()
