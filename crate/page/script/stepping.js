// Opens the player of steps.js below a run, and loads it then. What it shows is that file's.
"use strict";

((lab) => {
  const { element } = lab;

  let loaded = null;
  const load = () => {
    loaded ??= new Promise((done, fail) => {
      const script = element("script", { src: `${lab.root()}lab/steps.js`, async: true });
      script.addEventListener("load", done);
      script.addEventListener("error", () => {
        loaded = null;
        script.remove();
        fail(new Error("The part lab/steps.js of the laboratory, beside the pages, cannot be loaded."));
      });
      document.head.append(script);
    });
    return loaded;
  };

  /// What a run or launch offers: a button that opens its steps, the place where they are shown, and `step(place)`, by which a
  /// finding or a line is opened. `request` is what was asked, `options` how.
  lab.stepping = (request, options = {}) => {
    const place = element("div", {});
    let player = null;
    const close = () => {
      player.element.remove();
      button.hidden = false;
      button.focus();
    };
    const step = async (at) => {
      try {
        await load();
      } catch (error) {
        place.replaceChildren(element("p", { role: "alert" }, error.message));
        return;
      }
      player ??= lab.player((asked) => lab.ask(asked.verb === "steps" ? { ...asked, of: request } : asked, options), close);
      button.hidden = true;
      place.replaceChildren(player.element);
      player.element.focus({ preventScroll: true });
      await player.open(at);
      player.element.scrollIntoView({ block: "nearest" });
    };
    const button = lab.button("Step through it", () => step({}));
    return { element: element("div", {}, element("div", { className: "ct-lab-buttons" }, button), place), step };
  };
})(window.cornerturn_lab);
