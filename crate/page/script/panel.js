// The panel of a kernel of the book: its shape, its editor, its runs. What a run shows is results.js's.
"use strict";

((lab) => {
  const { element } = lab;

  /// What a matrix can be of; the kernel's text must be of the same.
  const ELEMENTS = ["f32", "f64", "f16", "i32", "u32", "i64", "u64", "u16", "u8"];

  const fields_of = (kernel) => {
    const sizes = (kernel.sizes ?? []).map(({ name, value, least, most }) => ({ name, ...lab.number(name, value, least ?? 1, most ?? 2 ** 32 - 1) }));
    const block = Array.isArray(kernel.block) ? kernel.block.map((threads, at) => lab.number(`block ${"xyz"[at]}`, threads, 1, 1024)) : [];
    const elements = kernel.work === "matrix" ? [...new Set([kernel.element, ...ELEMENTS])] : [];
    const choices = elements.map((name) => element("option", { value: name, selected: name === kernel.element }, name));
    const chosen = elements.length > 0 ? lab.field("element", { tag: "select" }) : null;
    chosen?.input.append(...choices);
    return { sizes, block, chosen, checks: lab.check("all checks", true) };
  };

  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

  /// What a panel asks for; fails with a sentence where a field holds no number that can be.
  const held = (fields) => {
    const numbers = [...fields.sizes, ...fields.block];
    const wrong = numbers.filter((field) => field.get() === null);
    if (wrong.length > 0) throw Object.assign(new Error(wrong.map((field) => field.wanted).join(" ")), { kind: "field" });
    return {
      sizes: Object.fromEntries(fields.sizes.map((field) => [field.name, field.get()])),
      block: fields.block.length > 0 ? fields.block.map((field) => field.get()) : null,
      element: fields.chosen?.input.value ?? null,
    };
  };

  const fill = (fields, given) => {
    for (const field of fields.sizes) if (given.sizes?.[field.name] !== undefined) field.input.value = given.sizes[field.name];
    fields.block.forEach((field, at) => given.block?.[at] !== undefined && (field.input.value = given.block[at]));
    if (fields.chosen && ELEMENTS.includes(given.element)) fields.chosen.input.value = given.element;
  };

  /// A panel for the kernel `id`, with what a link holds, if one led here.
  lab.panel = async (id, close) => {
    const needs = [`kernels/${id}`];
    const kernel = await lab.ask({ verb: "kernel", id }, { needs });
    if (kernel.error) throw Object.assign(new Error(kernel.error.message), { kind: kernel.error.kind });
    const fields = fields_of(kernel);
    const initial = held(fields);
    const edits = lab.edits(id, kernel.source);
    let editor = null;
    let marks = [];

    /// The fields, or nothing where one holds no number.
    const fields_now = () => {
      try {
        return held(fields);
      } catch {
        return {};
      }
    };
    const is_edited = () => editor !== null && editor.text !== kernel.source;
    const badge = element("span", { className: "ct-lab-badge", hidden: true }, "edited");

    /// What is written here stays in this browser: who comes back finds it.
    let later = 0;
    const keep = () => {
      clearTimeout(later);
      later = 0;
      badge.hidden = !is_edited();
      edits.keep(is_edited() ? { source: editor.text, ...fields_now() } : null);
    };
    const keep_soon = () => {
      clearTimeout(later);
      later = setTimeout(keep, 300);
    };
    addEventListener("pagehide", () => later > 0 && keep());
    const now = () => ({ ...held(fields), ...(is_edited() ? { source: editor.text } : {}) });

    const jump = (...place) => {
      edit();
      editor.mark(marks);
      editor.jump(...place);
    };

    const work = async (on_progress) => {
      const given = now();
      const request = {
        verb: "run",
        id,
        source: given.source ?? null,
        sizes: given.sizes,
        block: same(given.block, initial.block) ? null : given.block,
        element: given.element === initial.element ? null : given.element,
        checks: fields.checks.input.checked,
        pictures: true,
      };
      const answer = await lab.ask(request, { needs, on_progress });
      marks = lab.marks(lab.messages(answer));
      editor?.mark(marks);
      if (is_edited()) await lab.keep_in_address(id, given).catch(() => {});
      return { summary: lab.summary(answer), parts: lab.result(answer, jump, lab.stepping(request, { needs })) };
    };
    const bench = lab.bench({ start: "Run", work });

    const place = element("div", {});
    const edit = () => {
      if (editor) return;
      editor = lab.editor({
        label: `CUDA C++ of ${kernel.title ?? id}`,
        text: kernel.source,
        entry: kernel.entry,
        on_change: () => {
          reset.forget();
          keep_soon();
        },
        on_run: () => bench.run(),
        on_leave: () => bench.started.focus(),
      });
      place.replaceChildren(editor.element);
      edit_button.hidden = true;
    };
    const edit_button = lab.button("Edit", () => {
      edit();
      editor.focus();
    });

    const reset = lab.reset({
      now: () => ({ source: editor?.text, ...initial, ...fields_now() }),
      first: () => ({ source: kernel.source, ...initial }),
      put: (given, is_back) => {
        if (editor) editor.text = given.source ?? kernel.source;
        fill(fields, given);
        marks = [];
        bench.result.replaceChildren();
        bench.say(is_back ? "Your edit." : "As in the book.");
        keep();
      },
    });

    const link_place = element("span", {});
    const copy = lab.button("Copy link", async () => {
      try {
        const link = await lab.keep_in_address(id, now());
        const copied = await navigator.clipboard.writeText(link).then(() => true, () => false);
        bench.say(copied ? "The link is copied. It holds the edit; nothing was sent anywhere." : "The link stands in the field: copy it from there.");
        const field = element("input", { className: "ct-lab-link", readOnly: true, value: link, "aria-label": "Link to this edit" });
        link_place.replaceChildren(...(copied ? [] : [field]));
        if (!copied) field.select();
      } catch (error) {
        bench.say(error.message);
      }
    });

    const controls = [...fields.sizes, ...fields.block].map((field) => field.element);
    if (fields.chosen) controls.push(fields.chosen.element);
    const shown = element(
      "section",
      { className: "ct-lab", "aria-label": `Laboratory: ${kernel.title ?? id}` },
      element("div", { className: "ct-lab-head" }, element("strong", {}, kernel.title ?? id), badge, element("span", { className: "ct-note" }, ` runs in this page, in the emulator; nothing is sent anywhere.`), lab.button("Close", close, { className: "ct-lab-close" })),
      place,
      element("div", { className: "ct-lab-fields" }, ...controls, fields.checks.element),
      element("div", { className: "ct-lab-buttons" }, bench.started, bench.stopped, edit_button, reset, copy, link_place),
      bench.status,
      bench.bar,
      bench.result,
    );
    lab.keep_keys(shown);
    shown.addEventListener("input", () => is_edited() && keep_soon());
    const kept = edits.kept;
    if (kept !== null) {
      const given = lab.checked(kept);
      fill(fields, given);
      edit();
      editor.text = given.source;
      badge.hidden = !is_edited();
      bench.say("Your edit, as you left it. Reset shows the book's kernel.");
    }
    return {
      element: shown,
      run: () => bench.run(),
      edit: () => edit_button.click(),
      focus: () => bench.started.focus(),
      /// Places what a link holds, and runs nothing.
      take(given) {
        fill(fields, given);
        if (given.source !== undefined) {
          edit();
          editor.text = given.source;
          badge.hidden = !is_edited();
        }
        bench.say("This is an edit from a link. Read it, then click Run.");
      },
    };
  };
})(window.cornerturn_lab);
