// What runs in the laboratory's worker: the engine as it is unpacked, started and asked, and beside it the compiler, once
// it is there. The function's text becomes the worker, so it uses nothing from outside of itself but what unpacks.
"use strict";

window.cornerturn_lab.worker = (unpacked) => {
  let engine = null;
  let compiler = null;
  let last_told = 0;
  let began = 0;
  let is_ended = false;

  /// A launch that takes longer is ended, and those that follow it for the same request: the engine has no clock.
  const MOST_MS = 10_000;

  /// Called by the engine while it runs a launch; 0 ends that.
  const tell_progress = (done, total, instructions) => {
    const now = performance.now();
    if (done === 0 && instructions === 0) began = now;
    if (now - last_told >= 50) {
      last_told = now;
      postMessage({ progress: [done >>> 0, total >>> 0, instructions >>> 0] });
    }
    is_ended ||= now - began >= MOST_MS;
    return is_ended ? 0 : 1;
  };

  /// Writes bytes into a module's room.
  const give = (module, bytes) => {
    const room = module.room(bytes.length) >>> 0;
    if (room === 0) throw new RangeError("there is no memory for what is asked");
    new Uint8Array(module.memory.buffer, room, bytes.length).set(bytes);
  };

  /// What a module answers: bytes of its memory, until it is asked again.
  const answer = (module, bytes) => {
    give(module, bytes);
    module.ask();
    // The memory may have grown, and with it its buffer is a new one.
    return new Uint8Array(module.memory.buffer, module.answer() >>> 0, module.answer_bytes() >>> 0);
  };

  /// What the compiler was asked last, and how often it was asked.
  let asked = null;
  let times = 0;

  /// Called by the engine while it answers: takes a request of its to the compiler, if that is there.
  const compile = (at, bytes) => {
    if (!compiler) return 0;
    asked = new Uint8Array(engine.memory.buffer, at >>> 0, bytes >>> 0).slice();
    times += 1;
    give(engine, answer(compiler, asked));
    return 1;
  };

  const started = async (text) => {
    return (await WebAssembly.instantiate(unpacked(text), { env: { progress: tell_progress, compile } })).instance.exports;
  };

  const ask = (request) => new TextDecoder().decode(answer(engine, new TextEncoder().encode(request)));

  const obey = async ({ part, text, request }) => {
    is_ended = false;
    if (part === "engine") engine = await started(text);
    else if (part === "compiler") compiler = await started(text);
    else if (part) ask(`{"verb":"files","files":${new TextDecoder().decode(unpacked(text))}}`);
    return request ? ask(request) : "{}";
  };

  // A browser makes quick code of what ran a few times, beside what runs: so what was compiled first is compiled again, while
  // nobody waits and with a pause in which that code is made.
  const OFTEN = 4;
  const PAUSE_MS = 400;
  let again = 0;
  const practise = () => {
    if (!asked || times >= OFTEN) return;
    again = setTimeout(() => {
      times += 1;
      answer(compiler, asked);
      practise();
    }, PAUSE_MS);
  };

  let before = Promise.resolve();
  onmessage = ({ data }) => {
    clearTimeout(again);
    before = before.then(async () => {
      try {
        const given = await obey(data);
        if (!data.is_early) postMessage({ answer: given });
        clearTimeout(again);
        practise();
      } catch (error) {
        postMessage({ crash: String(error?.message ?? error) });
      }
    });
  };
};
