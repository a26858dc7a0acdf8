"""Prints the ncu metrics to count, of those that `ncu --query-metrics` (on standard input) knows: metrics.py cache|instructions|copies"""
import re, sys

CACHE = (r"l1tex__t_(requests|sectors)_pipe_lsu_mem_(global|local)_op_(ld|st|atom|red)"
         r"|l1tex__data_(pipe_lsu_wavefronts|bank_conflicts_pipe_lsu)_mem_shared_op_(ld|st|atom)")
INSTRUCTIONS = CACHE + (r"|smsp__inst_executed_op_(global_(ld|st|red)|local_(ld|st)|shared_(ld|st|atom|stsm)|generic_(atom|ld|st)|ldgsts|ldsm)(_pred_on_any)?"
                        r"|smsp__inst_executed_op_tma_(ld|st)")
COPIES = INSTRUCTIONS + r"|l1tex__(t|data)_\w*pipe_lsu_\w*ldgsts\w*|smsp__sass_l1tex\w*(requests|sectors|wavefronts|conflicts)_\w*(ldgsts|ldsm|stsm)\w*|l1tex__data_pipe_lsu_wavefronts_mem_shared\w*|l1tex__m_\w*_(sectors|bytes)_mem_global_op_tma_(ld|st)"
known = {line.split()[0] for line in sys.stdin if re.match(r"(l1tex|smsp)__\w", line)}
pattern = {"cache": CACHE, "instructions": INSTRUCTIONS, "copies": COPIES}[sys.argv[1]]
print(",".join(sorted(name + ".sum" for name in known if re.fullmatch(pattern, name))))
