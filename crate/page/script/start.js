// Begins the laboratory on a page: makes the buttons at kernels and exercises, fills the playground, and opens what a
// link holds. Without scripts or WebAssembly none of it is there, and the page is what it was.
"use strict";

((lab) => {
  if (!lab.is_there()) return;
  const { element } = lab;

  const notice = (words) => {
    const shown = element("p", { className: "ct-lab-notice", role: "alert" }, words, " ", lab.button("Close", () => shown.remove()));
    document.querySelector("main").prepend(shown);
    shown.scrollIntoView({ block: "center" });
  };

  /// The text of a listing, also of one that is folded and waits as the text of its markup.
  const text_of = (code) => {
    const waiting = code?.querySelector("noscript");
    if (!waiting) return code?.textContent ?? "";
    return new DOMParser().parseFromString(waiting.textContent, "text/html").body.textContent;
  };

  // Kernels: the panel opens below the listing, once.
  const openers = new Map();
  const prepare_kernel = (place) => {
    const id = place.dataset.kernel;
    let opened = null;
    const waiting = element("p", { className: "ct-lab-status", role: "status" });

    // What was written in a panel that is closed is there when it is opened again.
    const close = () => {
      opened?.then((panel) => panel?.element.remove());
      buttons.hidden = false;
      run.focus();
    };
    const open = () => {
      opened ??= lab
        .panel(id, close)
        .catch((error) => {
          opened = null;
          waiting.textContent = error.message;
          return null;
        });
      if (!buttons.hidden) waiting.textContent = "The laboratory is being loaded …";
      return opened.then((panel) => {
        if (panel === null) return null;
        waiting.textContent = "";
        if (!panel.element.isConnected) place.after(panel.element);
        buttons.hidden = true;
        return panel;
      });
    };
    const run = lab.button("Run", async () => {
      const panel = await open();
      panel?.focus();
      panel?.run();
    }, { className: "ct-lab-main", "aria-label": `Run ${id}` });
    const edit = lab.button("Edit", async () => (await open())?.edit(), { "aria-label": `Edit ${id}` });
    const is_edited = lab.edits(id, text_of(place.querySelector("pre code"))).kept !== null;
    const mark = is_edited ? element("span", { className: "ct-lab-badge", title: "Run and Edit show your text" }, "you have edited this") : null;
    const buttons = element("div", { className: "ct-lab-buttons ct-lab-open" }, ...[run, edit, mark].filter(Boolean));
    place.append(buttons, waiting);
    if (!openers.has(id)) openers.set(id, async (held) => {
      const panel = await open();
      panel?.take(held);
      panel?.element.scrollIntoView({ block: "nearest" });
    });
  };

  for (const place of document.querySelectorAll("[data-kernel].ct-runnable")) prepare_kernel(place);
  for (const place of document.querySelectorAll("[data-exercise].ct-runnable")) lab.prepare_exercise(place);
  for (const place of document.querySelectorAll("[data-laboratory=progress]")) lab.show_progress(place);
  for (const place of document.querySelectorAll("[data-laboratory=playground]")) openers.set("playground", lab.playground(place));

  const open_link = async () => {
    try {
      const link = await lab.unpack(location.hash);
      if (link === null) return;
      const opener = openers.get(link.id);
      if (opener) await opener(link.held);
      else notice("The link to this page is for a kernel that this page does not show. Nothing of it was opened.");
    } catch (error) {
      notice(error.message);
    }
  };
  window.addEventListener("hashchange", open_link);
  open_link();
})(window.cornerturn_lab);
