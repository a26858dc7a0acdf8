// What is not seen at first: forms of figures for narrow screens and outputs behind a choice stand in the page as the text of
// a `noscript` and become elements when they are to be seen. Without scripts they are elements from the beginning.
"use strict";

(() => {
  /// Makes elements of all that is held back in a place.
  const fill = (place) => {
    for (const later of place.querySelectorAll("noscript.ct-later")) {
      const made = document.createElement("template");
      made.innerHTML = later.textContent;
      later.replaceWith(made.content);
    }
  };

  /// The forms of figures that this window shows.
  const fill_shown = () => {
    for (const later of document.querySelectorAll("noscript.ct-later")) {
      if (later.parentElement.getClientRects().length > 0) fill(later.parentElement);
    }
  };

  document.addEventListener("change", ({ target }) => {
    if (target.matches?.(".ct-runs > input")) fill_shown();
  });
  document.addEventListener("toggle", fill_shown, true);
  addEventListener("resize", fill_shown);
  const paper = matchMedia("print");
  const fill_paper = () => paper.matches && fill(document);
  paper.addEventListener("change", fill_paper);
  addEventListener("beforeprint", () => fill(document));
  fill_paper();
  fill_shown();
})();
