// What every panel has: a button that starts work, one that stops it, a line that says how it stands, and room for what
// it gives. One work at a time in each.
"use strict";

((lab) => {
  const { element } = lab;

  /// A bench. `start` is the words of its button, `work(on_progress)` gives `{summary, parts}`.
  lab.bench = ({ start, work }) => {
    const status = element("p", { className: "ct-lab-status", role: "status" });
    const bar = element("progress", { className: "ct-lab-progress", hidden: true, max: 1, "aria-label": "How far the run is" });
    const result = element("div", { className: "ct-lab-result" });
    let busy = false;

    const on_progress = (done, total) => {
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

    const run = async () => {
      if (busy) return;
      set_busy(true);
      say("Running …");
      try {
        const { summary, parts } = await work(on_progress);
        result.replaceChildren(...parts);
        say(summary, true);
      } catch (error) {
        result.replaceChildren(lab.failure(error));
        say(error.message, true);
      } finally {
        set_busy(false);
      }
    };

    const started = lab.button(start, () => run(), { className: "ct-lab-main" });
    const stopped = lab.button("Stop", () => busy && lab.stop(), { "aria-disabled": "true" });
    return { started, stopped, status, bar, result, run, say };
  };
})(window.cornerturn_lab);
