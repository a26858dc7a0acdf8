// Drives the page's module as its script does, without a browser: asks each request of standard input, a JSON array,
// and prints the answers as a JSON object, each with the milliseconds that it took.
//
//     node try.mjs LAB < requests.json
//
// LAB is the folder of the scripts `engine.js`, `files.js` and `exercises.js` that `cornerturn book` writes.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

const folder = process.argv[2];
globalThis.cornerturn_lab = {};
const packed = ["engine", "files", "exercises"].map((name) => {
  new Function(readFileSync(join(folder, `${name}.js`), "utf8"))();
  return gunzipSync(Buffer.from(globalThis.cornerturn_lab[name], "base64"));
});
const started = performance.now();
let told = 0;
const imports = { env: { progress: () => (told += 1) } };
const { instance } = await WebAssembly.instantiate(packed[0], imports);
const engine = instance.exports;

/** The answer to one request. */
function ask(request) {
  const bytes = new TextEncoder().encode(typeof request === "string" ? request : JSON.stringify(request));
  engine.forget_rooms();
  const room = engine.room(bytes.length);
  new Uint8Array(engine.memory.buffer, room, bytes.length).set(bytes);
  engine.ask();
  const answer = new Uint8Array(engine.memory.buffer, engine.answer(), engine.answer_bytes());
  return JSON.parse(new TextDecoder().decode(answer));
}

for (const files of packed.slice(1)) ask({ verb: "files", files: JSON.parse(files.toString()) });
const start_ms = performance.now() - started;

const answers = JSON.parse(readFileSync(0, "utf8")).map((request) => {
  const before = performance.now();
  const answer = ask(request);
  return { ms: performance.now() - before, answer };
});
const module_bytes = packed[0].length;
console.log(JSON.stringify({ module_bytes, start_ms, told, memory_bytes: engine.memory.buffer.byteLength, answers }));
