// A report of the profiler: what bounds this kernel?
//
// Nsight Compute made the report on an H200; which kernel's it is, is drawn for you, and the check
// shows it. Put a number in the place of each question mark.
//
//@ starter
// ANSWER busiest: ?
// ANSWER bound: ?
// ANSWER rate: ?
// ANSWER waits: ?
//@ solution
// ANSWER busiest: =
// ANSWER bound: =
// ANSWER rate: =
// ANSWER waits: =
//@ occupancy
// ANSWER busiest: 82.89
// ANSWER bound: 2
// ANSWER rate: 4273.1
// ANSWER waits: 94.81
//@ no_hits
// ANSWER busiest: 88.81
// ANSWER bound: 3
// ANSWER rate: 4273.1
// ANSWER waits: 94.81
//@ reads_only
// ANSWER busiest: 88.81
// ANSWER bound: 2
// ANSWER rate: 2160.7
// ANSWER waits: 94.81
//@ clocks
// ANSWER busiest: 88.81
// ANSWER bound: 2
// ANSWER rate: 4273.1
// ANSWER waits: 121.73
//@ end
