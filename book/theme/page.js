// What every page has beside mdBook's scripts: its button for the list of chapters works the hidden checkbox that shows it,
// and what is found for teachers stands behind what is found for readers.
"use strict";

(() => {
  const checkbox = document.getElementById("mdbook-sidebar-toggle-anchor");
  document.getElementById("mdbook-sidebar-toggle")?.addEventListener("click", () => checkbox?.click());

  // After mdBook has put the places of this page into the list of chapters.
  const is_ready = () => document.documentElement.classList.add("ct-ready");
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", is_ready);
  else is_ready();

  const FOR_TEACHERS = /\/workshop\/(teachers|schedule)\.html/;
  const results = document.getElementById("mdbook-searchresults");
  const is_late = (item) => FOR_TEACHERS.test(item.querySelector("a")?.href ?? "");
  const sort = () => {
    const items = [...results.children];
    const sorted = [...items.filter((item) => !is_late(item)), ...items.filter(is_late)];
    if (sorted.some((item, at) => item !== items[at])) results.append(...sorted);
  };
  if (results) new MutationObserver(sort).observe(results, { childList: true });
})();
