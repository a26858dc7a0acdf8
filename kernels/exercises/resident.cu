// How many blocks of a kernel a multiprocessor of an H200 runs at a time.
//
// What the kernel takes is drawn for you; the check shows it. Put a number in the place of each
// question mark.
//
//@ starter
// ANSWER by_shared: ?
// ANSWER by_registers: ?
// ANSWER blocks: ?
// ANSWER warps: ?
//@ solution
// ANSWER by_shared: =
// ANSWER by_registers: =
// ANSWER blocks: =
// ANSWER warps: =
//@ nothing_for_the_system
// ANSWER by_shared: 32
// ANSWER by_registers: 64
// ANSWER blocks: 32
// ANSWER warps: 64
//@ without_units
// ANSWER by_shared: 228
// ANSWER by_registers: 85
// ANSWER blocks: 32
// ANSWER warps: 64
//@ no_places
// ANSWER by_shared: 228
// ANSWER by_registers: 64
// ANSWER blocks: 64
// ANSWER warps: 64
//@ threads
// ANSWER by_shared: 228
// ANSWER by_registers: 64
// ANSWER blocks: 32
// ANSWER warps: 2048
//@ end
