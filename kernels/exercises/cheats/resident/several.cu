// Gives several answers to the first question, one of which is right for most participants.
// ANSWER by_shared: 2
// ANSWER by_shared: 4
// ANSWER by_shared: 8
// ANSWER by_shared: 228
// ANSWER by_registers: 1
// ANSWER blocks: 1
// ANSWER warps: 1
