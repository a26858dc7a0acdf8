// What fifteen times of a kernel say.
//
// The times were recorded on an H200; which kernel's they are is drawn for you, and the check shows
// them. Put a number in the place of each question mark.
//
//@ starter
// ANSWER median: ?
// ANSWER rate: ?
// ANSWER share: ?
//@ solution
// ANSWER median: =
// ANSWER rate: =
// ANSWER share: =
//@ mean
// ANSWER median: 72.589
// ANSWER rate: 1849.0
// ANSWER share: 49.93
//@ least
// ANSWER median: 71.52
// ANSWER rate: 1876.65
// ANSWER share: 49.85
//@ read_only
// ANSWER median: 72.93
// ANSWER rate: 920.18
// ANSWER share: 24.66
//@ of_the_datasheet
// ANSWER median: 72.93
// ANSWER rate: 1840.36
// ANSWER share: 38.34
//@ end
