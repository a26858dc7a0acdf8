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
    const bar = element("progress", { className: "ct-lab-progress", hidden: true, max: 1, "aria-label": "How far the run is" });
    const result = element("div", { className: "ct-lab-result" });
    let busy = false;

    const on_progress = (done, total) => {
      if (status.textContent === WAITING) say(RUNNING);
      bar.hidden = !(total > 0);
      if (total > 0) bar.value = done / total;
    };

    const set_busy = (now) => {
      busy = now;
      // Not disabled: a button that loses the focus leaves a keyboard nowhere.
      started.setAttribute("aria-disabled", String(now));
      stopped.setAttribute("aria-disabled", String(!now));
      bar.hidden = true;
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
      say(lab.is_asked() ? WAITING : RUNNING);
      try {
        const { summary, parts } = await wanted(on_progress);
        result.replaceChildren(...parts);
        say(summary, true);
      } catch (error) {
        result.replaceChildren(lab.failure(error));
        say(error.message, true);
      } finally {
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
