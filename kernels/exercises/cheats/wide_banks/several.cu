// Gives several answers to the first question, one of which is right for most participants.
// ANSWER even: 4
// ANSWER even: 8
// ANSWER even: 16
// ANSWER even: 32
// ANSWER odd: 1
// ANSWER short: 1
