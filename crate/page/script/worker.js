// What runs in the laboratory's worker: the engine as it is unpacked, started and asked. The function's text becomes the
// worker, so it uses nothing from outside of itself.
"use strict";

window.cornerturn_lab.worker = () => {
  let engine = null;
  let last_told = 0;

  const unpacked = (base64) => {
    const packed = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip")));
  };

  const tell_progress = (done, total) => {
    const now = performance.now();
    if (now - last_told < 50) return;
    last_told = now;
    postMessage({ progress: [Number(done), Number(total)] });
  };

  const ask = (request) => {
    const bytes = new TextEncoder().encode(request);
    const room = engine.room(bytes.length) >>> 0;
    new Uint8Array(engine.memory.buffer, room, bytes.length).set(bytes);
    engine.ask();
    // The memory may have grown, and with it its buffer is a new one.
    const answer = new Uint8Array(engine.memory.buffer, engine.answer() >>> 0, engine.answer_bytes() >>> 0);
    const text = new TextDecoder().decode(answer);
    engine.forget_rooms();
    return text;
  };

  const obey = async ({ module, files, request }) => {
    if (module) {
      const bytes = await (await unpacked(module)).arrayBuffer();
      engine = (await WebAssembly.instantiate(bytes, { env: { progress: tell_progress } })).instance.exports;
    }
    if (files) ask(`{"verb":"files","files":${await (await unpacked(files)).text()}}`);
    return request ? ask(request) : "{}";
  };

  onmessage = async ({ data }) => {
    try {
      postMessage({ answer: await obey(data) });
    } catch (error) {
      postMessage({ crash: String(error?.message ?? error) });
    }
  };
};
