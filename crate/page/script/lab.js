// The laboratory's one name on a page, `cornerturn_lab`, and what all its files use: elements, fields and buttons made
// from words, never from HTML. Knows nothing of kernels.
"use strict";

window.cornerturn_lab = window.cornerturn_lab ?? {};

((lab) => {
  // A page of the book; the page of the whole book, for printing, has no laboratory.
  lab.is_there = () =>
    document.querySelectorAll("main").length === 1 &&
    !/(^|\/)print\.html$/.test(location.pathname) &&
    typeof WebAssembly === "object" &&
    typeof Worker === "function" &&
    typeof DecompressionStream === "function";

  // Where the book begins, as mdBook tells each page.
  lab.root = () => (typeof path_to_root === "string" ? path_to_root : "");

  /// An element: properties are set, `on…` are listeners, names with a hyphen are attributes; strings become text.
  lab.element = (name, properties, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(properties ?? {})) {
      if (value === undefined || value === null) continue;
      if (typeof value === "function") made.addEventListener(key.slice(2), value);
      else if (key.includes("-") || key === "role" || key === "for") made.setAttribute(key, value);
      else made[key] = value;
    }
    made.append(...children.flat().filter((child) => child !== null && child !== undefined));
    return made;
  };

  lab.button = (words, onclick, more) => lab.element("button", { type: "button", onclick, ...more }, words);

  let ids = 0;
  lab.new_id = () => `ct-lab-${++ids}`;

  /// A labelled field.
  lab.field = (words, properties) => {
    const id = lab.new_id();
    const input = lab.element(properties.tag ?? "input", { id, autocapitalize: "off", autocomplete: "off", spellcheck: false, ...properties, tag: null });
    return { input, element: lab.element("span", { className: "ct-lab-field" }, lab.element("label", { for: id }, words), input) };
  };

  /// A field for a whole number from `least` to `most`; `get` gives nothing where there is none in it.
  lab.number = (words, value, least, most) => {
    const made = lab.field(words, { type: "number", inputMode: "numeric", min: least, max: most, step: 1, value });
    made.get = () => {
      const given = made.input.valueAsNumber;
      const right = Number.isInteger(given) && given >= least && given <= most;
      made.input.setAttribute("aria-invalid", String(!right));
      return right ? given : null;
    };
    made.wanted = `${words}: a whole number from ${lab.digits(least)} to ${lab.digits(most)}.`;
    return made;
  };

  lab.check = (words, checked) => {
    const made = lab.field(words, { type: "checkbox", checked });
    made.element.prepend(made.input);
    return made;
  };

  /// A number in groups of three digits.
  lab.digits = (value) => String(value).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");

  /// What stands between backticks as code.
  lab.with_code = (text) => String(text).split(/`([^`\n]*)`/).map((part, at) => (at % 2 === 1 ? lab.element("code", {}, part) : part));

  /// Several paragraphs, one a line that is not empty.
  lab.paragraphs = (text) =>
    String(text ?? "")
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line) => lab.element("p", {}, ...lab.with_code(line)));

  /// mdBook turns pages by the arrow keys and searches by a letter: not while somebody works in here.
  lab.keep_keys = (element) => {
    for (const kind of ["keydown", "keypress", "keyup"]) element.addEventListener(kind, (event) => event.stopPropagation());
  };

  /// What the browser keeps between visits; where that is forbidden or there is no room, until the page is left.
  const kept = new Map();
  lab.remember = (key, value) => {
    try {
      localStorage.setItem(`cornerturn-${key}`, JSON.stringify(value));
      kept.delete(key);
    } catch {
      kept.set(key, value);
    }
  };
  lab.recall = (key) => {
    if (kept.has(key)) return kept.get(key);
    try {
      const text = localStorage.getItem(`cornerturn-${key}`);
      if (text !== null) return JSON.parse(text);
    } catch {
      // Forbidden, or not ours.
    }
    return null;
  };

  /// 32 bits that tell texts apart which stand in one place (FNV-1a).
  const hash = (text) => {
    let bits = 0x811c9dc5;
    for (const letter of text) bits = Math.imul(bits ^ letter.codePointAt(0), 0x01000193);
    return (bits >>> 0).toString(16);
  };

  /// The edits of a kernel on this page that the browser keeps: those of the text as it is now.
  lab.edits = (id, original) => {
    const depth = lab.root().split("/").length;
    const page = location.pathname.split("/").slice(-depth).join("/");
    const key = `edit-${page}-${id}`;
    const of = hash(original.trimEnd());
    return {
      get kept() {
        const kept = lab.recall(key);
        return kept?.of === of && typeof kept.held?.source === "string" ? kept.held : null;
      },
      keep: (held) => lab.remember(key, held === null ? null : { of, held }),
    };
  };
})(window.cornerturn_lab);
