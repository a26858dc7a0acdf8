// The editor: a text field of the browser's own over the same text in colours, so that it works by touch, by keyboard and
// with a screen reader as every text field does. Beside it line numbers and marks. Runs nothing.
"use strict";

((lab) => {
  /// Longer texts stay without colours.
  const MOST_COLOURED = 60_000;
  const INDENT = "    ";
  const HELP = "Tab indents. Escape leaves the editor. Control and Enter run.";

  /// Puts a text where the selection is, as typing does, so that it can be undone.
  const type = (area, text) => {
    let done = false;
    try {
      done = document.execCommand(text === "" ? "delete" : "insertText", false, text);
    } catch {
      // Not in this browser.
    }
    if (done) return;
    area.setRangeText(text, area.selectionStart, area.selectionEnd, "end");
    area.dispatchEvent(new Event("input"));
  };

  const line_start = (text, at) => text.lastIndexOf("\n", at - 1) + 1;

  /// Moves the lines of the selection, or the caret's, to the right or to the left.
  const shift = (area, is_left) => {
    const { selectionStart: from, selectionEnd: to, value } = area;
    const start = line_start(value, from);
    const end = value.indexOf("\n", to) < 0 ? value.length : value.indexOf("\n", to);
    const old = value.slice(start, end);
    const text = is_left ? old.replace(/^(\t| {1,4})/gm, "") : old.replace(/^(?=.)/gm, INDENT);
    if (text === old) return;
    area.setSelectionRange(start, end);
    type(area, text);
    const caret = Math.max(start, from + text.length - old.length);
    area.setSelectionRange(from === to ? caret : start, from === to ? caret : start + text.length);
  };

  const has_lines = (area) => area.value.slice(area.selectionStart, area.selectionEnd).includes("\n");

  /// A brace that closes stands under the line that opened it.
  const close_brace = (area) => {
    const start = line_start(area.value, area.selectionStart);
    const before = area.value.slice(start, area.selectionStart);
    if (/^[ \t]+$/.test(before)) area.setSelectionRange(start + before.replace(/(\t| {1,4})$/, "").length, area.selectionEnd);
    type(area, "}");
  };

  const new_line = (area) => {
    const start = line_start(area.value, area.selectionStart);
    const before = area.value.slice(start, area.selectionStart);
    const opens = /\{\s*$/.test(before) ? INDENT : "";
    type(area, `\n${/^[ \t]*/.exec(before)[0]}${opens}`);
  };

  /// An editor. `label` says what is edited, and `entry` which of several kernels in it will run; `on_run` and `on_leave` are
  /// called for Control-Enter and Escape.
  lab.editor = ({ label, text, entry = null, on_change, on_run, on_leave }) => {
    const { element } = lab;
    const help_id = lab.new_id();
    const area = element("textarea", {
      className: "ct-lab-text",
      spellcheck: false,
      autocapitalize: "off",
      autocomplete: "off",
      wrap: "off",
      "aria-label": label,
      "aria-describedby": help_id,
      value: text,
    });
    area.setAttribute("autocorrect", "off");
    const colours = element("pre", { className: "ct-lab-colours", "aria-hidden": "true" });
    const numbers = element("div", { className: "ct-lab-numbers", "aria-hidden": "true" });
    const box = element("div", { className: "ct-lab-code" }, numbers, element("div", { className: "ct-lab-layers" }, colours, area));
    const help = element("p", { className: "ct-note", id: help_id }, HELP);
    const copy = lab.button("Copy text", async () => {
      await navigator.clipboard.writeText(area.value).catch(() => {
        area.select();
        document.execCommand("copy");
      });
      copy.textContent = "Copied";
      setTimeout(() => (copy.textContent = "Copy text"), 2000);
    });
    let marks = new Map();

    const piece = ([words, name, is_under]) => (name === "" && !is_under ? words : element("span", { className: `${name}${is_under ? " ct-lab-under" : ""}` }, words));

    /// The pieces of a line, those in the columns of its mark underlined.
    const underlined = (pieces, { column, end_column } = {}) => {
      if (!(end_column > column)) return pieces;
      let at = 1;
      return pieces.flatMap(([words, name]) => {
        const [from, to] = [column - at, end_column - at].map((cut) => Math.min(Math.max(cut, 0), words.length));
        at += words.length;
        return [[words.slice(0, from), name], [words.slice(from, to), name, true], [words.slice(to), name]].filter(([part]) => part !== "");
      });
    };

    const line_of = (pieces, mark) => element("span", { className: `ct-lab-line${mark ? ` ct-lab-${mark.kind}` : ""}` }, ...underlined(pieces, mark).map(piece), "\n");
    const number_of = (at, mark) => element("span", { className: `ct-lab-number${mark ? ` ct-lab-${mark.kind}` : ""}`, title: mark?.words }, `${mark?.sign ?? " "} ${at + 1}`);

    /// Puts `fresh` in the place of `old`, a list of what each child shows; makes only those that differ.
    const renew = (box, old, fresh, make) => {
      let [head, tail] = [0, 0];
      const least = Math.min(old.length, fresh.length);
      while (head < least && old[head] === fresh[head]) head++;
      while (tail < least - head && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail++;
      const after = box.children[old.length - tail] ?? null;
      for (let gone = old.length - tail - head; gone > 0; gone--) box.children[head].remove();
      const made = document.createDocumentFragment();
      for (let at = head; at < fresh.length - tail; at++) made.append(make(at));
      box.insertBefore(made, after);
    };

    let [lines_shown, numbers_shown] = [[], []];
    const paint = () => {
      const lines = area.value.length > MOST_COLOURED ? area.value.split("\n").map((line) => [[line, ""]]) : lab.colour(area.value);
      const mark = (at) => marks.get(at + 1);
      const lines_now = lines.map((line, at) => JSON.stringify([line, mark(at)]));
      const numbers_now = lines.map((_, at) => JSON.stringify([at, mark(at)]));
      renew(colours, lines_shown, lines_now, (at) => line_of(lines[at], mark(at)));
      renew(numbers, numbers_shown, numbers_now, (at) => number_of(at, mark(at)));
      [lines_shown, numbers_shown] = [lines_now, numbers_now];
    };

    // What is edited will be compiled: the compiler comes while somebody types, and compiles what stood here before. The line
    // behind it keeps the engine from taking what it has of a kernel of the book.
    area.addEventListener("focus", () => lab.expect("compiler"), { once: true });
    const before = { verb: "suggest", source: `${text}\n`, entry, grid: [1], block: [32] };
    area.addEventListener("input", () => lab.prepare("compiler", before), { once: true });
    area.addEventListener("input", () => {
      // Marks belong to the text that was run.
      marks = new Map();
      paint();
      on_change?.();
    });
    area.addEventListener("keydown", (event) => {
      if (event.isComposing) return;
      const is_tab = event.key === "Tab" && !event.ctrlKey && !event.altKey;
      if (event.key === "Escape") on_leave?.();
      else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) on_run?.();
      else if (is_tab && (event.shiftKey || has_lines(area))) shift(area, event.shiftKey);
      else if (is_tab) type(area, INDENT);
      else if (event.key === "}") close_brace(area);
      else if (event.key === "Enter" && !event.shiftKey && !event.altKey) new_line(area);
      else return;
      event.preventDefault();
    });
    paint();

    return {
      element: element("div", { className: "ct-lab-editor" }, box, element("div", { className: "ct-lab-buttons" }, help, copy)),
      get text() {
        // Half a letter, as text that was cut has it, is none.
        return area.value.replace(/\p{Surrogate}/gu, "\ufffd");
      },
      set text(value) {
        area.value = value;
        marks = new Map();
        paint();
      },
      focus: () => area.focus(),
      /// Marks lines: a list of `{line, kind, sign, words}`; kind is error, warning or finding. The first of a line stays.
      mark(list) {
        marks = new Map();
        for (const mark of list) if (mark.line > 0 && !marks.has(mark.line)) marks.set(mark.line, mark);
        paint();
      },
      /// Selects a line, or from a column on (both from 1), and shows it.
      jump(line, column = 1, end_column = null) {
        const lines = area.value.split("\n");
        const at = Math.min(Math.max(line, 1), lines.length) - 1;
        const before = lines.slice(0, at).reduce((sum, text) => sum + text.length + 1, 0);
        const start = before + Math.min(Math.max(column - 1, 0), lines[at].length);
        const end = end_column > column ? Math.min(before + end_column - 1, before + lines[at].length) : before + lines[at].length;
        area.focus({ preventScroll: true });
        area.setSelectionRange(start, end);
        const row = numbers.children[at];
        box.scrollTop = row.offsetTop - box.clientHeight / 2;
        box.scrollIntoView({ block: "nearest" });
      },
    };
  };
})(window.cornerturn_lab);
