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

  const unindent = (area) => {
    const start = line_start(area.value, area.selectionStart);
    const spaces = /^(\t| {1,4})/.exec(area.value.slice(start))?.[0].length ?? 0;
    if (spaces === 0) return;
    const kept = Math.max(start, area.selectionStart - spaces);
    area.setSelectionRange(start, start + spaces);
    type(area, "");
    area.setSelectionRange(kept, kept);
  };

  const new_line = (area) => {
    const start = line_start(area.value, area.selectionStart);
    const before = area.value.slice(start, area.selectionStart);
    const opens = /\{\s*$/.test(before) ? INDENT : "";
    type(area, `\n${/^[ \t]*/.exec(before)[0]}${opens}`);
  };

  /// An editor. `label` says what is edited; `on_run` and `on_leave` are called for Control-Enter and Escape.
  lab.editor = ({ label, text, on_change, on_run, on_leave }) => {
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
    let marks = new Map();

    const piece = ([words, name]) => (name === "" ? words : element("span", { className: name }, words));
    const paint = () => {
      const lines = area.value.length > MOST_COLOURED ? area.value.split("\n").map((line) => [[line, ""]]) : lab.colour(area.value);
      const marked = (at) => marks.get(at + 1);
      const shown = lines.map((line, at) =>
        element("span", { className: `ct-lab-line${marked(at) ? ` ct-lab-${marked(at).kind}` : ""}` }, ...line.map(piece), "\n"),
      );
      colours.replaceChildren(...shown);
      const digits = String(lines.length).length;
      numbers.replaceChildren(
        ...lines.map((_, at) =>
          element(
            "span",
            marked(at) ? { className: `ct-lab-number ct-lab-${marked(at).kind}`, title: marked(at).words } : { className: "ct-lab-number" },
            `${marked(at)?.sign ?? " "} ${String(at + 1).padStart(digits)}`,
          ),
        ),
      );
    };

    // What is edited will be compiled: the compiler comes while somebody types.
    area.addEventListener("focus", () => lab.expect("compiler"), { once: true });
    area.addEventListener("input", () => {
      // Marks belong to the text that was run.
      marks = new Map();
      paint();
      on_change?.();
    });
    area.addEventListener("keydown", (event) => {
      if (event.isComposing) return;
      if (event.key === "Escape") on_leave?.();
      else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) on_run?.();
      else if (event.key === "Tab" && event.shiftKey) unindent(area);
      else if (event.key === "Tab" && !event.ctrlKey && !event.altKey) type(area, INDENT);
      else if (event.key === "Enter" && !event.shiftKey && !event.altKey) new_line(area);
      else return;
      event.preventDefault();
    });
    paint();

    return {
      element: element("div", { className: "ct-lab-editor" }, box, help),
      get text() {
        return area.value;
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
