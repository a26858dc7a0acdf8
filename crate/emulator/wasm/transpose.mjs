// Runs one kernel of a PTX file in the emulator's WebAssembly module and prints what came of it as JSON.
//
//     node transpose.mjs MODULE.wasm KERNEL.ptx ROWS COLUMNS
//
// The kernel takes input, output, rows, columns, as the book's transposes do, one block of 32 × 8 threads for each tile
// of 32 × 32. The input's words count from 1, the output is poisoned.

import { readFileSync, statSync } from "node:fs";

const [modulePath, ptxPath, rowsText, columnsText] = process.argv.slice(2);
const [rows, columns] = [Number(rowsText), Number(columnsText)];
const started = performance.now();
const { instance } = await WebAssembly.instantiate(readFileSync(modulePath), {});
const emulator = instance.exports;
const ready = performance.now();

/** The bytes of the last answer; throws them as a message if the call failed. */
function answered(failed) {
  const bytes = new Uint8Array(emulator.memory.buffer, emulator.answer(), emulator.answer_bytes()).slice();
  if (failed) throw new Error(new TextDecoder().decode(bytes));
  return bytes;
}

/** Calls a function of the module that reads the first room, filled with these bytes. */
function give(bytes, call) {
  emulator.forget_rooms();
  const room = emulator.room(bytes.length);
  new Uint8Array(emulator.memory.buffer, room, bytes.length).set(bytes);
  return answered(call());
}

const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const word = (number) => hex(new Uint8Array(new Uint32Array([number]).buffer));
const wordsOf = (numbers) => new Uint8Array(Uint32Array.from(numbers).buffer);

give(readFileSync(ptxPath), emulator.load);
const count = rows * columns;
const input = give(wordsOf(Array.from({ length: count }, (_, at) => at + 1)), emulator.upload);
const output = give(wordsOf(new Uint32Array(count).fill(0xdeadbeef)), emulator.upload);
const request = {
  entry: "padded",
  grid: [Math.ceil(columns / 32), Math.ceil(rows / 32), 1],
  block: [32, 8, 1],
  check: true,
  args: [hex(input), hex(output), word(rows), word(columns)],
};
const launched = performance.now();
const report = JSON.parse(new TextDecoder().decode(give(new TextEncoder().encode(JSON.stringify(request)), emulator.run)));
const ended = performance.now();
const address = new DataView(output.buffer).getBigUint64(0, true);
const result = answered(emulator.download(address, count * 4));

console.log(
  JSON.stringify({
    ...report,
    output: hex(result),
    module_bytes: statSync(modulePath).size,
    start_ms: ready - started,
    launch_ms: ended - launched,
  }),
);
