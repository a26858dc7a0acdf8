"""Turns what ncu printed into the table that the test reads: table.py LAUNCHES NCU-OUTPUT DEVICE > TABLE"""
import csv, re, sys

launches, measured, device = (open(path).read() for path in sys.argv[1:4])
names = [line.split()[0] for line in launches.splitlines() if line and line[0] != "#"]
entries = [line.split()[1] for line in launches.splitlines() if line and line[0] != "#"]
rows = list(csv.reader(line for line in measured.splitlines() if not line.startswith("==")))
header, counts = rows[0], rows[2:]
assert len(counts) == len(names), (len(counts), len(names))
assert entries == [row[header.index("Kernel Name")] for row in counts]
columns = [i for i, name in enumerate(header) if re.match(r"(l1tex|smsp)__\w+\.sum$", name)]
columns = [i for i in columns if any(row[i] not in ("0", "n/a") for row in counts)]
print("# Counted with ncu by measure.sh on " + ", ".join(device.splitlines()))
print("name," + ",".join(header[i] for i in columns))
for name, row in zip(names, counts):
    print(name + "," + ",".join(row[i].replace(",", "") for i in columns))
