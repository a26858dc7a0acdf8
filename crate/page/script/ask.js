// Asks the engine, one request after the other: loads parts of the laboratory when a request needs them, starts the worker,
// stops it, and says in a sentence what went wrong. Knows no verb.
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

  const STOPPED = () => new NoAnswer("stopped", "Stopped.");

  /// The parts that every request needs.
  const ALWAYS = ["engine", "files"];

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
    const text = `"use strict";(${lab.worker})(${lab.unpacked});`;
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

  /// Posts a message of a job, and waits for what the worker answers.
  const posted = (mine, message) =>
    new Promise((done, fail) => {
      Object.assign(mine, { done, fail });
      worker.postMessage(message);
    });

  /// Gives the worker of some parts those that it has not got yet.
  const give = async (mine, names) => {
    const loaded = await Promise.all(names.map(load));
    if (job !== mine) throw STOPPED();
    if (!worker) start_worker();
    for (const [at, name] of names.entries()) {
      if (given.has(name)) continue;
      given.add(name);
      await posted(mine, { part: name, text: loaded[at] });
    }
  };

  /// The answer to a request; where it says that it needs another part, it is asked again with that.
  const send = async (mine, request, needs) => {
    const names = [...ALWAYS, ...needs];
    for (;;) {
      await give(mine, names);
      const answer = JSON.parse(await posted(mine, { request: JSON.stringify(request) }));
      if (!answer.needs) return answer;
      if (names.includes(answer.needs)) throw new NoAnswer("load", NOT_LOADED(answer.needs));
      names.push(answer.needs);
    }
  };

  const ask_now = (request, { needs = [], on_progress } = {}) =>
    new Promise((done, fail) => {
      const mine = { done, fail, stop: fail, on_progress };
      job = mine;
      send(mine, request, needs).then(done, fail);
    }).finally(() => (job = null));

  /// Requests that wait for the one that is answered.
  const waiting = new Set();

  /// The answer to a request; `needs` names parts beside the engine and the list of kernels.
  lab.ask = (request, options = {}) => {
    const mine = { on_progress: options.on_progress, is_stopped: false };
    const stopped = new Promise((_, fail) => (mine.fail = fail));
    const answer = queue.then(() => {
      waiting.delete(mine);
      if (!mine.is_stopped) return ask_now(request, options);
    });
    waiting.add(mine);
    queue = answer.catch(() => {});
    return Promise.race([answer, stopped]);
  };

  /// Whether a request is being answered.
  lab.is_asked = () => job !== null;

  /// Loads a part that will be needed soon, and what it needs itself; that one cannot be loaded is told when it is needed.
  lab.expect = (name) => {
    const names = [...ALWAYS, name];
    const early = (texts) => {
      if (!worker) start_worker();
      for (const [at, name] of names.entries()) {
        if (given.has(name)) continue;
        given.add(name);
        worker.postMessage({ part: name, text: texts[at], is_early: true });
      }
    };
    Promise.all(names.map(load)).then(early, () => {});
  };

  /// Has the worker answer a request that nobody waits for, once it has this part, which was expected: the code for it is made
  /// then, and not when somebody waits. Whoever asks meanwhile is answered next.
  lab.prepare = (name, request) => {
    const early = () => {
      if (given.has(name)) worker.postMessage({ request: JSON.stringify(request), is_early: true });
    };
    Promise.all([...ALWAYS, name].map(load)).then(early, () => {});
  };

  /// Ends the requests that tell `on_progress` how far they are; the next request starts a new worker.
  lab.stop = (on_progress) => {
    const reason = STOPPED();
    for (const one of waiting) {
      if (one.on_progress !== on_progress) continue;
      one.is_stopped = true;
      one.fail(reason);
    }
    const stopped = job;
    if (stopped?.on_progress !== on_progress) return;
    end_worker();
    stopped?.fail(reason);
    stopped?.stop(reason);
  };
})(window.cornerturn_lab);
