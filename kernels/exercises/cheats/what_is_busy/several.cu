// Gives several answers to the first question, one of which is right for most participants.
// ANSWER busiest: 88.81
// ANSWER busiest: 94.75
// ANSWER busiest: 69.56
// ANSWER busiest: 43.35
// ANSWER bound: 1
// ANSWER rate: 1
// ANSWER waits: 1
