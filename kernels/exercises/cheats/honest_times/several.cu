// Gives several answers to the first question, one of which is right for most participants.
// ANSWER median: 72.93
// ANSWER median: 40.22
// ANSWER median: 38.18
// ANSWER median: 38.56
// ANSWER rate: 1
// ANSWER share: 1
