// Drives the page's modules as its script does, without a browser: asks each request of standard input, a JSON array,
// and prints the answers as a JSON object, each with the milliseconds that it took and with whether it needed the
// compiler, which is loaded then and not before.
//
//     node try.mjs LAB < requests.json
//
// LAB is the folder of the scripts that `cornerturn book` writes.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

const folder = process.argv[2];
globalThis.cornerturn_lab = {};
const unpacked = (name) => {
  new Function(readFileSync(join(folder, `${name}.js`), "utf8"))();
  return gunzipSync(Buffer.from(globalThis.cornerturn_lab[name], "base64"));
};

let told = 0;
let engine = null;
let compiler = null;

function give(module, bytes) {
  const room = module.room(bytes.length) >>> 0;
  new Uint8Array(module.memory.buffer, room, bytes.length).set(bytes);
}

/** What a module answers, as bytes of its memory. */
function answer(module, bytes) {
  give(module, bytes);
  module.ask();
  return new Uint8Array(module.memory.buffer, module.answer() >>> 0, module.answer_bytes() >>> 0);
}

function compile(at, bytes) {
  if (!compiler) return 0;
  give(engine, answer(compiler, new Uint8Array(engine.memory.buffer, at >>> 0, bytes >>> 0)));
  return 1;
}

async function start(name) {
  const env = { progress: () => (told += 1), compile };
  return (await WebAssembly.instantiate(unpacked(name), { env })).instance.exports;
}

/** The engine's answer to one request. */
function ask(request) {
  const bytes = new TextEncoder().encode(typeof request === "string" ? request : JSON.stringify(request));
  return JSON.parse(new TextDecoder().decode(answer(engine, bytes)));
}

const given = new Set();
function give_files(name) {
  if (given.has(name)) return;
  given.add(name);
  ask(`{"verb":"files","files":${unpacked(name).toString()}}`);
}

const started = performance.now();
engine = await start("engine");
for (const name of ["files", "exercises"]) give_files(name);
const start_ms = performance.now() - started;

const answers = [];
let compiler_ms = null;
for (const request of JSON.parse(readFileSync(0, "utf8"))) {
  if (["kernel", "run"].includes(request.verb)) give_files(`kernels/${request.id}`);
  let before = performance.now();
  let said = ask(request);
  const needs_compiler = said.needs === "compiler";
  if (needs_compiler) {
    before = performance.now();
    compiler = await start("compiler");
    compiler_ms = performance.now() - before;
    before = performance.now();
    said = ask(request);
  }
  answers.push({ ms: performance.now() - before, needs_compiler, answer: said });
}
console.log(JSON.stringify({ start_ms, compiler_ms, told, memory_bytes: engine.memory.buffer.byteLength, answers }));
