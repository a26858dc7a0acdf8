// A report of the profiler, of a transpose whose source you do not see.
//
// Nsight Compute counted one launch on an H200: a matrix of 4096×4096 floats. The report is
// one of several, drawn for you; the check shows it. Put a number in the place of each
// question mark.
//
//@ starter
// ANSWER sectors: ?
// ANSWER wavefronts: ?
// ANSWER left: ?
// ANSWER conflicts: ?
//@ solution
// ANSWER sectors: =
// ANSWER wavefronts: =
// ANSWER left: =
// ANSWER conflicts: =
//@ requests
// ANSWER sectors: 2097152
// ANSWER wavefronts: 1
// ANSWER left: 1
// ANSWER conflicts: 1
//@ no_division
// ANSWER sectors: 0.25
// ANSWER wavefronts: 0.03
// ANSWER left: 0
// ANSWER conflicts: 0.5
//@ one_a_lane
// ANSWER sectors: 32
// ANSWER wavefronts: 32
// ANSWER left: 16777216
// ANSWER conflicts: 0.97
//@ end
