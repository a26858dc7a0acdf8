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

  /// The other way round: a form of a figure that is not seen any more becomes a text again.
  const hold_back = (place) => {
    const later = document.createElement("noscript");
    later.className = "ct-later";
    later.textContent = place.innerHTML;
    place.replaceChildren(later);
  };

  const is_shown = (place) => place.getClientRects().length > 0;

  /// Makes what this window shows. Of a figure one form alone is there.
  const fill_shown = () => {
    for (const later of document.querySelectorAll("noscript.ct-later")) {
      const place = later.parentElement;
      if (!is_shown(place)) continue;
      fill(place);
      const wide = place.matches(".ct-narrow") ? place.previousElementSibling : null;
      if (wide?.matches(".ct-wide") && !is_shown(wide)) hold_back(wide);
    }
  };

  /// On a page of very many elements the colours of code that is folded wait too.
  const MANY = 5000;
  const hold_back_folded = () => {
    if (document.getElementsByTagName("*").length < MANY) return;
    for (const code of document.querySelectorAll("main details:not([open]) pre > code")) hold_back(code);
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
  // mdBook has given code its colours by then.
  addEventListener("load", () => paper.matches || hold_back_folded());
})();
