// Asks the engine, one request after the other: loads its parts at the first, starts its worker, stops it, and says in a
// sentence what went wrong. Knows no verb but `files`.
"use strict";

((lab) => {
  /// Why there is no answer: `kind` is stopped, crash or load.
  class NoAnswer extends Error {
    constructor(kind, message) {
      super(message);
      this.kind = kind;
    }
  }

  const NO_MEMORY =
    "The engine came to its end: most likely the browser gave it no more memory. Try a smaller matrix. The next run starts it anew.";
  const NOT_LOADED = (name) =>
    `The part ${name}.js of the laboratory cannot be loaded. It lies in the folder lab beside the pages: is it there?`;

  const parts = new Map();

  /// A part of the laboratory, by a script element: the only way that works from a folder on disk.
  const load = (name) => {
    if (!parts.has(name)) {
      const loaded = new Promise((done, fail) => {
        const failed = () => {
          parts.delete(name);
          fail(new NoAnswer("load", NOT_LOADED(name)));
        };
        const script = lab.element("script", { src: `${lab.root()}lab/${name}.js`, async: true });
        script.addEventListener("load", () => (typeof lab[name] === "string" ? done(lab[name]) : failed()));
        script.addEventListener("error", failed);
        document.head.append(script);
      });
      parts.set(name, loaded);
    }
    return parts.get(name);
  };

  let worker = null;
  let given = new Set();
  let job = null;
  let queue = Promise.resolve();

  const end_worker = () => {
    worker?.terminate();
    worker = null;
    given = new Set();
  };

  const start_worker = () => {
    const text = `"use strict";(${lab.worker})();`;
    const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    worker = new Worker(url);
    URL.revokeObjectURL(url);
    const crashed = (message) => {
      const failed = job;
      end_worker();
      const memory = /memory|unreachable|allocation|range|stack|recursion/i.test(message);
      failed?.fail(new NoAnswer("crash", memory ? NO_MEMORY : `The engine came to its end: ${message}. The next run starts it anew.`));
    };
    worker.onmessage = ({ data }) => {
      if (data.progress) job?.on_progress?.(...data.progress);
      else if ("crash" in data) crashed(data.crash);
      else job?.done(data.answer);
    };
    worker.onerror = (event) => crashed(event.message ?? "it could not be started");
  };

  /// What the worker has not got yet of what a request needs, and the request itself.
  const send = async (mine, request, needs) => {
    const names = ["engine", "files", ...needs];
    const loaded = await Promise.all(names.map(load));
    if (job !== mine) return;
    if (!worker) start_worker();
    const messages = names.map((name, at) => ({ name, text: loaded[at] })).filter(({ name }) => !given.has(name));
    for (const { name, text } of messages) {
      await new Promise((done, fail) => {
        Object.assign(mine, { done, fail });
        worker.postMessage(name === "engine" ? { module: text } : { files: text });
      });
      given.add(name);
    }
    const answer = await new Promise((done, fail) => {
      Object.assign(mine, { done, fail });
      worker.postMessage({ request: JSON.stringify(request) });
    });
    return JSON.parse(answer);
  };

  const ask_now = (request, { needs = [], on_progress } = {}) =>
    new Promise((done, fail) => {
      const mine = { done, fail, stop: fail, on_progress };
      job = mine;
      send(mine, request, needs).then(done, fail);
    }).finally(() => (job = null));

  /// The answer to a request; `needs` names parts beside the engine and its files.
  lab.ask = (request, options) => {
    const answer = queue.then(() => ask_now(request, options));
    queue = answer.catch(() => {});
    return answer;
  };

  /// Ends what goes on; the next request starts a new worker.
  lab.stop = () => {
    const stopped = job;
    end_worker();
    const reason = new NoAnswer("stopped", "Stopped.");
    stopped?.fail(reason);
    stopped?.stop(reason);
  };
})(window.cornerturn_lab);
