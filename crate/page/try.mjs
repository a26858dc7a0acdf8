// Drives the page's modules as its script does, without a browser: asks each request of standard input, a JSON array,
// and prints the answers as a JSON object, each with the milliseconds that it took, those of them that the compiler took,
// and whether it was the first that needed the compiler, which is loaded then and not before.
//
//     node try.mjs LAB < requests.json
//
// LAB is the folder of the scripts that `cornerturn book` writes.

import { readFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.argv[2];
const lab = (globalThis.cornerturn_lab = {});
const evaluated = (path) => new Function("window", readFileSync(path, "utf8"))(globalThis);
evaluated(new URL("script/unpack.js", import.meta.url));
const unpacked = (name) => {
  evaluated(join(folder, `${name}.js`));
  return lab.unpacked(lab[name]);
};

/// Of one text many that are damaged, a letter changed or the end cut off: each must be told to be.
function check_damaged(name) {
  const whole = Buffer.from(unpacked(name));
  const text = lab[name];
  const step = Math.ceil(text.length / 97);
  for (let at = 0; at < text.length; at += step) {
    const letter = text[at] === "A" ? "B" : "A";
    for (const damaged of [text.slice(0, at), text.slice(0, at) + letter + text.slice(at + 1)]) {
      try {
        if (whole.compare(lab.unpacked(damaged)) !== 0) throw new Error("it is not noticed");
      } catch (error) {
        if (!error.message.includes("is damaged")) throw new Error(`${name}, damaged at ${at}: ${error.message}`);
      }
    }
  }
}

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

let compiling_ms = 0;

function compile(at, bytes) {
  if (!compiler) return 0;
  const before = performance.now();
  give(engine, answer(compiler, new Uint8Array(engine.memory.buffer, at >>> 0, bytes >>> 0)));
  compiling_ms += performance.now() - before;
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
  ask(`{"verb":"files","files":${new TextDecoder().decode(unpacked(name))}}`);
}

const started = performance.now();
engine = await start("engine");
for (const name of ["files", "exercises"]) give_files(name);
const start_ms = performance.now() - started;

const answers = [];
let compiler_ms = null;
for (const request of JSON.parse(readFileSync(0, "utf8"))) {
  if (["kernel", "run"].includes(request.verb)) give_files(`kernels/${request.id}`);
  compiling_ms = 0;
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
  answers.push({ ms: performance.now() - before, compiling_ms, needs_compiler, answer: said });
}
// Last: what unpacks is by then as quick as a browser makes it, which the measurement of the start must not have.
const [kernel] = [...given].filter((name) => name.startsWith("kernels/"));
if (kernel) check_damaged(kernel);
console.log(JSON.stringify({ start_ms, compiler_ms, told, memory_bytes: engine.memory.buffer.byteLength, answers }));
