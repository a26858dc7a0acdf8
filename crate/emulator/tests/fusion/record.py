"""Writes the fixtures of the test `fusion`: random straight programs, and the same as ptxas assembles them.

    python3 record.py PTXAS NVDISASM

Each program is two kernels: `N_written`, whose products and sums have no rounding modifier, and `N_assembled`, which
computes what the machine code of the first one computes, with a modifier everywhere: one instruction for each of the
machine code's. What a machine instruction means is in `Machine`.
"""

import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

INPUTS = 6
ZERO, ONE = ("constant", 0.0), ("constant", 1.0)
# File, type, seed, programs, instructions in each, instructions to choose from.
FIXTURES = [
    ("f32", "f32", 1, 60, 12, "mul mul add sub"),
    ("f32_signs", "f32", 2, 30, 12, "mul mul add sub neg"),
    ("f32_modifiers", "f32", 3, 30, 12, "mul mul mul mul.sat mul.rn mul.ftz add add sub sub add.sat add.rn fma.rn"),
    ("f32_flushed", "f32", 9, 30, 12, "mul.ftz mul.ftz mul.ftz mul add.ftz add.ftz sub.ftz sub.ftz add.ftz.sat add"),
    ("f64", "f64", 4, 30, 12, "mul mul add sub neg mul.rn add.rn fma.rn"),
    ("f16", "f16", 5, 30, 12, "mul mul add sub neg mul.rn add.rn fma.rn"),
    ("f16x2", "f16x2", 6, 30, 12, "mul mul mul add add sub sub neg mul.rn add.rn fma.rn"),
    ("bf16", "bf16", 7, 30, 12, "mul mul add sub neg fma.rn"),
    ("bf16x2", "bf16x2", 8, 30, 12, "mul mul add sub neg fma.rn"),
]
BYTES = {"f64": 8, "f16": 2, "bf16": 2}
REGISTERS = {"f64": "f64", "f32": "f32", "f16": "b16", "bf16": "b16"}


def generate(rng, length, choices):
    """Instructions (result, opcode, operands), and the results that are stored."""
    program, values, seen = [], [f"i{k}" for k in range(INPUTS)], set()
    magnitudes = {value: value for value in values}
    while len(program) < length:
        opcode = rng.choice(choices)
        count = {"neg": 1, "fma": 3}.get(opcode.split(".")[0], 2)
        operands = [rng.choice(values[-5:] if rng.random() < 0.6 else values) for _ in range(count)]
        # The assembler may compute once what is there twice.
        kind = {"mul": "product", "fma": "product", "neg": "sign"}.get(opcode[:3], "sum")
        key = (kind, *sorted(magnitudes[x] for x in operands[:2]))
        if key in seen or (opcode.startswith("sub") and operands[0] == operands[1]):
            continue
        seen.add(key)
        program.append((f"v{len(program)}", opcode, operands))
        values.append(program[-1][0])
        magnitudes[values[-1]] = magnitudes[operands[0]] if opcode == "neg" else values[-1]
    used = {operand for _, _, operands in program for operand in operands}
    return program, [d for d, _, _ in program if d not in used or rng.random() < 0.1]


# Expressions: tuples of an operator, with its modifiers, and operands; a sign is ("neg", expression).


def negative(x):
    return x[1] if x[0] == "neg" else ("neg", x)


def magnitude(x):
    return (True, x[1]) if x[0] == "neg" else (False, x)


def product(a, b, modifiers):
    (turns_a, a), (turns_b, b) = magnitude(a), magnitude(b)
    result = ("mul" + modifiers, *sorted((a, b), key=repr))
    return negative(result) if turns_a != turns_b else result


def total(a, b, modifiers):
    if not modifiers and negative(ZERO) in (a, b):
        return b if a == negative(ZERO) else a
    return ("add" + modifiers, *sorted((a, b), key=repr))


def fused(a, b, c, modifiers):
    if not modifiers and c == negative(ZERO):
        return product(a, b, "")
    if {a, b} == {ZERO, negative(ZERO)}:
        return c
    if ONE in (a, b):
        return total(b if a == ONE else a, c, modifiers)
    (turns_a, a), (turns_b, b) = magnitude(a), magnitude(b)
    a, b = sorted((a, b), key=repr)
    return ("fma" + modifiers, negative(a) if turns_a != turns_b else a, b, c)


class Machine:
    """Executes straight machine code on expressions. A register is a pair of halves in the types of 16 bits."""

    SWIZZLES = {"H0_H0": "00", "H1_H1": "11", "H1_H0": "01", "H0_NH1": "10"}

    def __init__(self, ty):
        self.bytes, self.is_half = BYTES.get(ty, 4), ty in ("f16", "bf16")
        self.registers, self.stored = {}, {}

    def constant(self, text):
        value = float(text)
        value = ("neg", ("constant", -value)) if text.startswith("-") else ("constant", value)
        return (value, value)

    def operand(self, text):
        text = text.replace(".reuse", "")
        turns, text = text.startswith("-"), text.removeprefix("-")
        name, _, swizzle = text.partition(".")
        if not re.fullmatch(r"R\d+|RZ", name):
            return self.constant("-" + text if turns else text)
        halves = (ZERO, ZERO) if name == "RZ" else self.registers.get(name, (ZERO, ZERO))
        if self.is_half and swizzle:
            halves = [halves[int(which)] for which in self.SWIZZLES[swizzle]]
            if "N" in swizzle:
                halves[0] = negative(halves[0])
        return tuple(negative(half) for half in halves) if turns else tuple(halves)

    def operands(self, texts, is_half_operation):
        found, texts = [], list(texts)
        while texts:
            text = texts.pop(0)
            if is_half_operation and not re.match(r"-?R", text):
                # A constant of each half, the upper one first.
                found.append((self.constant(texts.pop(0))[0], self.constant(text)[0]))
            else:
                found.append(self.operand(text))
        return found

    def execute(self, line):
        opcode, _, rest = line.partition(" ")
        texts = re.findall(r"(?:[^,\[]|\[[^\]]*\])+", rest)
        texts = [text.strip() for text in texts]
        root, *modifiers = opcode.split(".")
        known = "".join(f".{part.lower()}" for part in modifiers if part in ("FTZ", "SAT"))
        if root in ("LDG", "STG"):
            address = texts[1] if root == "LDG" else texts[0]
            offset = re.search(r"\.64\+(0x[0-9a-f]+)\]", address)
            place = int(offset[1], 16) // self.bytes if offset else 0
            if root == "LDG":
                value = ("input", place)
                self.registers[texts[0]] = (value, ZERO if self.is_half else value)
            else:
                self.stored[place] = self.operand(texts[1])[0]
        elif root == "PRMT":
            selected, sources = int(texts[2], 16), self.operand(texts[1]) + self.operand(texts[3])
            self.registers[texts[0]] = tuple(sources[(selected >> shift & 15) // 2] for shift in (0, 8))
        elif root == "MOV" or "MOV" in modifiers:
            self.registers[texts[0]] = self.operand(texts[-1])
        elif root[1:] in ("ADD", "MUL", "FMA", "ADD2", "MUL2", "FMA2") and root[0] in "FDH":
            values = self.operands(texts[1:], root[0] == "H")
            function = {"A": total, "M": product, "F": fused}[root[1]]
            self.registers[texts[0]] = tuple(function(*halves, known) for halves in zip(*values))
        elif root not in ("LDC", "ULDC", "NOP", "BRA"):
            raise ValueError(line)


def assemble(ptx, ptxas, nvdisasm):
    """The instructions of each kernel."""
    with tempfile.TemporaryDirectory() as folder:
        source, code = Path(folder, "x.ptx"), Path(folder, "x.cubin")
        source.write_text(ptx)
        subprocess.run([ptxas, "-arch=sm_90", "-O3", source, "-o", code], check=True)
        text = subprocess.run([nvdisasm, "-c", code], check=True, capture_output=True, text=True).stdout
    kernels, current = {}, None
    for line in text.splitlines():
        if name := re.match(r"\.text\.(\w+):", line):
            current = kernels.setdefault(name[1], [])
        elif instruction := re.search(r"/\*[0-9a-f]{4,}\*/\s+(.*?)\s*;", line):
            current.append(instruction[1])
    return kernels


def header(name, body):
    return f".visible .entry {name}(.param .u64 in, .param .u64 out) {{\n{body}    ret;\n}}\n"


def frame(ty, lines, stored):
    """A kernel's body: a thread has its own inputs and outputs."""
    size = BYTES.get(ty, 4)
    text = f"    .reg .b32 %t; .reg .b64 %in, %out; .reg .{REGISTERS.get(ty, 'b32')} %i<{INPUTS}>, %v<{len(lines) + 1}>;\n"
    text += "    ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x;\n"
    text += f"    mad.wide.u32 %in, %t, {INPUTS * size}, %in; mad.wide.u32 %out, %t, {16 * size}, %out;\n"
    load = f"b{8 * size}"
    for k in range(INPUTS):
        text += f"    ld.global.{load} %i{k}, [%in+{k * size}];\n"
    text += "".join(f"    {line};\n" for line in lines)
    for k, value in enumerate(stored):
        text += f"    st.global.{load} [%out+{k * size}], %{value};\n"
    return text


def written(ty, program):
    return [f"{opcode}.{ty} %{d}, " + ", ".join(f"%{x}" for x in operands) for d, opcode, operands in program]


def assembled(ty, stored):
    """The instructions that compute these expressions, each once, and where they are."""
    lines, known = [], {}

    def place(x):
        if x[0] == "input":
            return f"i{x[1]}"
        if x not in known:
            operator, *modifiers = x[0].split(".")
            operands = [place(y) for y in x[1:]]
            modifiers = "".join(f".{part}" for part in modifiers)
            opcode = operator if operator == "neg" else f"{operator}.rn{modifiers}"
            known[x] = f"v{len(lines)}"
            lines.append(f"{opcode}.{ty} %{known[x]}, " + ", ".join(f"%{y}" for y in operands))
        return known[x]

    places = [place(x) for x in stored]
    return lines, places


def straight(ty, program, stored):
    """The program for the machine code to be read: addresses are what they are in the text."""
    size, load = BYTES.get(ty, 4), f"b{8 * BYTES.get(ty, 4)}"
    text = f"    .reg .b64 %p; .reg .{REGISTERS.get(ty, 'b32')} %i<{INPUTS}>, %v<{len(program)}>;\n    ld.param.u64 %p, [in];\n"
    text += "".join(f"    ld.global.{load} %i{k}, [%p+{k * size}];\n" for k in range(INPUTS))
    text += "".join(f"    {line};\n" for line in written(ty, program))
    # Every other place: no store is joined with the next.
    return text + "".join(
        f"    st.global.{load} [%p+{(100 + 2 * k) * size}], %{d};\n" for k, d in enumerate(stored)
    )


def record(fixture, tools):
    name, ty, seed, count, length, choices = fixture
    rng = random.Random(seed)
    programs = [generate(rng, length, choices.split()) for _ in range(count)]
    start = ".version 8.6\n.target sm_90\n.address_size 64\n"
    ptx = start + "".join(header(f"k{n}", straight(ty, *each)) for n, each in enumerate(programs))
    kernels = assemble(ptx, *tools)
    text = start
    for number, (program, stored) in enumerate(programs):
        machine = Machine(ty)
        for line in kernels[f"k{number}"]:
            if line == "EXIT":
                break
            machine.execute(line)
        expressions = [machine.stored[100 + 2 * k] for k in range(len(stored))]
        text += header(f"p{number}_written", frame(ty, written(ty, program), stored))
        text += header(f"p{number}_assembled", frame(ty, *assembled(ty, expressions)))
    Path(__file__).with_name(f"{name}.ptx").write_text(text)


if __name__ == "__main__":
    for each in FIXTURES:
        record(each, sys.argv[1:3])
