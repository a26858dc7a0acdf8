// What every panel has: a button that starts work, one that stops it, a line that says how it stands, and room for what
// it gives. One work at a time in each.
"use strict";

((lab) => {
  const { element } = lab;
  const RUNNING = "Running …";
  const WAITING = "Waiting for another run on this page …";

  /// A button that puts back what was there at first, and by a second click what that took away. `now` gives what is there,
  /// `put` places it, `first` is what was given.
  lab.reset = ({ now, put, first }) => {
    let taken = null;
    const button = lab.button("Reset", () => {
      const before = now();
      put(taken ?? first(), taken !== null);
      taken = taken === null ? before : null;
      button.textContent = taken === null ? "Reset" : "Undo reset";
    });
    /// What was written since is not to be lost by that click.
    button.forget = () => {
      taken = null;
      button.textContent = "Reset";
    };
    return button;
  };

  /// A bench. `start` is the words of its button, `work(on_progress)` gives `{summary, parts}`.
  lab.bench = ({ start, work }) => {
    const status = element("p", { className: "ct-lab-status", role: "status" });
    const part = element("progress", { className: "ct-lab-progress", hidden: true, max: 1, "aria-label": "How far the run is" });
    // Not announced: it changes every second.
    const far = element("p", { className: "ct-note", hidden: true });
    const bar = element("div", { className: "ct-lab-far" }, part, far);
    const result = element("div", { className: "ct-lab-result" });
    let busy = false;

    /// A run that takes longer than this says how long, and how far its launch is.
    const SHORT_MS = 1000;
    let since = 0;
    let launched = "";
    const tell_time = () => {
      const ms = performance.now() - since;
      far.hidden = ms < SHORT_MS;
      far.textContent = `${Math.round(ms / 1000)} s${launched}`;
    };

    const on_progress = (done, total, instructions) => {
      if (status.textContent === WAITING) say(RUNNING);
      part.hidden = !(total > 1);
      if (total > 1) part.value = done / total;
      const blocks = total > 1 ? `: block ${lab.digits(done)} of ${lab.digits(total)}` : "";
      const counted = instructions >= 1e6 ? `${blocks ? "," : ":"} ${lab.digits(Math.round(instructions / 1e6))} million instructions of warps` : "";
      launched = blocks + counted;
    };

    const set_busy = (now) => {
      busy = now;
      // Not disabled: a button that loses the focus leaves a keyboard nowhere.
      started.setAttribute("aria-disabled", String(now));
      stopped.setAttribute("aria-disabled", String(!now));
      part.hidden = far.hidden = true;
      launched = "";
      since = performance.now();
      result.classList.toggle("ct-lab-old", now);
    };

    /// Says how it stands; what the result says anyway is only said to those who do not see it.
    const say = (words, is_shown = false) => {
      status.classList.toggle("ct-lab-heard", is_shown);
      status.textContent = words;
    };

    const run = async (wanted = work) => {
      if (busy) return;
      set_busy(true);
      const clock = setInterval(tell_time, SHORT_MS / 2);
      say(lab.is_asked() ? WAITING : RUNNING);
      try {
        const { summary, parts } = await wanted(on_progress);
        result.replaceChildren(...parts);
        say(summary, true);
      } catch (error) {
        result.replaceChildren(lab.failure(error));
        say(error.message, true);
      } finally {
        clearInterval(clock);
        set_busy(false);
        // What it came to may lie below the window's edge.
        for (const part of [".ct-lab-message", ".ct-lab-verdict"]) result.querySelector(part)?.scrollIntoView({ block: "nearest" });
      }
    };

    const started = lab.button(start, () => run(), { className: "ct-lab-main" });
    const stopped = lab.button("Stop", () => busy && lab.stop(on_progress), { "aria-disabled": "true" });
    /// A button that starts other work in the same place.
    const other = (words, wanted) => lab.button(words, () => run(wanted));
    return { started, stopped, status, bar, result, run, say, other };
  };
})(window.cornerturn_lab);
