// Ways in which lanes part and meet again. Each `W` is one load, so that the requests tell how often a warp has come by.
// The machine code that ptxas 13.0 makes of these for sm_90, with more arithmetic in `W` so that nothing is predicated,
// has its BSSY, BREAK and BSYNC where `reconverge.rs` says that lanes meet.

typedef unsigned u32;
#define KERNEL extern "C" __global__ void
#define ARGS (const u32* __restrict__ in, u32* __restrict__ out, u32 n)
#define START u32 t = blockIdx.x * blockDim.x + threadIdx.x; u32 s = t * 2654435761u;
#define END out[t] = s;
#define W(k) s = (s ^ in[(s + k) % 1999]) * (2 * k + 3) + k; MARK(k)
// Keeps the compiler from making one `W` of two.
#define MARK(k) asm volatile("// " #k : "+r"(s));
#define W1(k) (s = (s ^ in[(s + k) % 1999]) * (2 * k + 3) + k)
#define C(k) ((s * 2654435769u >> (k + 9)) % 4 == 1)
#define LOOP(i) _Pragma("unroll 1") for (u32 i = 0; i < n; i++)

// ---- loops ----
KERNEL leave ARGS { START LOOP(i) { W(1) if (C(1)) break; W(2) } W(3) END }
KERNEL leave_after_work ARGS { START LOOP(i) { W(1) if (C(1)) { W(4) break; } W(2) } W(3) END }
KERNEL leave_in_if ARGS { START LOOP(i) { W(1) if (!C(1)) { W(2) if (C(2)) break; W(3) } W(4) } W(5) END }
KERNEL leave_in_both ARGS { START LOOP(i) { W(1) if (C(1)) { W(2) if (C(2)) break; W(3) } else { W(6) if (C(3)) break; W(7) } W(4) } W(5) END }
KERNEL leave_in_nested_if ARGS { START LOOP(i) { W(1) if (!C(1)) { W(2) if (!C(2)) { W(3) if (C(3)) break; W(4) } W(5) } W(6) } W(7) END }
KERNEL leave_inner ARGS { START LOOP(i) { W(1) LOOP(j) { W(2) if (!C(1)) { W(4) if (C(3)) break; W(5) } W(6) } W(7) } W(8) END }
KERNEL leave_outer ARGS { START LOOP(i) { W(1) LOOP(j) { W(2) if (C(1)) goto o; if (C(2)) break; W(3) } W(4) } o: W(5) END }
KERNEL leave_three ARGS { START LOOP(i) { W(1) LOOP(j) { W(2) LOOP(k) { W(3) if (C(1)) goto o; if (C(2)) goto m; W(4) } W(5) } m: W(6) } o: W(7) END }
KERNEL leave_apart ARGS { START LOOP(i) { W(1) if (C(1)) goto a; W(2) if (C(2)) goto b; W(3) } W(4) goto e; a: W(5) goto e; b: W(6) e: W(7) END }
KERNEL next_or_leave ARGS { START LOOP(i) { W(1) if (C(1)) continue; W(2) if (C(2)) break; W(3) if (C(3)) continue; W(4) } W(5) END }
KERNEL return_inside ARGS { START LOOP(i) { W(1) if (C(1)) { W(2) END return; } W(3) if (C(2)) break; W(4) } W(5) out[t] = s + 1; }
KERNEL return_nested ARGS { START LOOP(i) { W(1) LOOP(j) { W(2) if (C(1)) { W(3) END return; } W(4) } W(5) } W(6) out[t] = s + 1; }
KERNEL do_while ARGS { START u32 i = 0; do { W(1) if (!C(1)) { W(2) if (C(2)) goto o; } else { W(3) } i++; } while (i < n && !C(5)); W(4) o: W(5) END }
KERNEL endless ARGS { START u32 i = 0; while (true) { W(1) if (!C(1)) { if (C(2)) break; W(2) if (++i > n) { END return; } continue; } W(3) if (++i > n) break; W(4) } W(5) END }
KERNEL switch_inside ARGS { START LOOP(i) { W(1) switch (s % 7) { case 0: W(2) break; case 1: W(3) continue; case 2: W(4) goto o; case 5: END return; default: W(8) } W(9) } W(10) o: W(11) END }

// ---- without loops ----
KERNEL return_in_if ARGS { START W(1) if (!C(1)) { W(2) if (!C(2)) { W(3) if (C(3)) { END return; } W(4) } W(5) } W(6) END }
KERNEL return_in_both ARGS { START W(1) if (s & 1) { W(2) if (C(2)) { out[t] = s + 5; return; } W(3) } else { W(4) if (C(3)) { out[t] = s + 6; return; } W(5) } W(6) END }
KERNEL jump_out_of_both ARGS { START W(1) if (s & 1) { W(2) if (C(2)) goto o; W(3) } else { W(4) if (C(3)) goto o; W(5) } W(6) o: W(7) END }
KERNEL jump_down ARGS { START W(1) if (C(1)) goto a; W(2) if (C(2)) goto b; W(3) if (C(3)) goto c; W(4) c: W(5) b: W(6) a: W(7) END }
KERNEL all_of ARGS { START W(1) if (s & 1 && (W1(2)) & 2 && (W1(3)) & 4) { W(4) } else { W(5) } W(6) END }
KERNEL any_of ARGS { START W(1) if (s & 1 || (W1(2)) & 2 || (W1(3)) & 4) { W(4) } W(6) END }
