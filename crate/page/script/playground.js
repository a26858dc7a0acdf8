// The playground: any kernel, with any launch and any arguments, in the language of `cornerturn launch`.
"use strict";

((lab) => {
  const { element } = lab;

  /// One to three whole numbers, as `32,8`; nothing where the text is no such thing.
  const three = (text) => {
    const parts = text.split(/[\s,x×]+/).filter(Boolean);
    const numbers = parts.map(Number);
    const right = parts.length >= 1 && parts.length <= 3 && numbers.every((number) => Number.isInteger(number) && number > 0 && number < 2 ** 31);
    return right ? [...numbers, 1, 1].slice(0, 3) : null;
  };

  const refuse = (words) => {
    throw Object.assign(new Error(words), { kind: "field" });
  };

  const lines_of = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);

  /// Fills the playground's place, whose listing is the first example and whose data say how it is launched; gives what
  /// takes a link.
  lab.playground = (place) => {
    const example = place.querySelector("code")?.textContent.trimEnd() ?? "";
    const data = place.dataset;
    const editor = lab.editor({
      label: "CUDA C++ of your kernel",
      text: `${example}\n`,
      on_run: () => bench.run(),
      on_leave: () => bench.started.focus(),
    });
    const grid = lab.field("grid", { value: data.grid ?? "1", className: "ct-lab-short" });
    const block = lab.field("block", { value: data.block ?? "32", className: "ct-lab-short" });
    const shared = lab.number("dynamic shared memory, bytes", 0, 0, 233_472);
    const entry = lab.field("entry, if there are several", { value: "", className: "ct-lab-short", spellcheck: false });
    const checks = lab.check("all checks", true);
    const given_lines = (data.arguments ?? "").split(";").map((line) => line.trim()).join("\n");
    const given = lab.field("arguments, one a line", { tag: "textarea", className: "ct-lab-arguments", rows: 5, spellcheck: false, value: given_lines });
    const shown_numbers = lab.field("show the values of arguments", { value: data.show ?? "", className: "ct-lab-short" });

    const held = () => {
      const launched = { grid: three(grid.input.value), block: three(block.input.value) };
      for (const [name, value] of Object.entries(launched)) if (value === null) refuse(`${name}: one to three whole numbers, such as 32,8.`);
      if (shared.get() === null) refuse(shared.wanted);
      return { source: editor.text, entry: entry.input.value.trim(), ...launched, shared: shared.get(), arguments: given.input.value };
    };

    const work = async (on_progress) => {
      const { source, entry: name, grid: blocks, block: threads, shared: bytes, arguments: text } = held();
      const show = shown_numbers.input.value.split(/[\s,]+/).filter(Boolean).map(Number).filter((number) => Number.isInteger(number) && number >= 0);
      const request = { verb: "launch", source, entry: name === "" ? null : name, grid: blocks, block: threads, shared: bytes, arguments: lines_of(text), checks: checks.input.checked, show };
      const answer = await lab.ask(request, { on_progress });
      editor.mark(lab.marks(lab.messages(answer)));
      await lab.keep_in_address("playground", held()).catch(() => {});
      return { summary: lab.summary(answer), parts: lab.result(answer, editor.jump) };
    };
    const bench = lab.bench({ start: "Run", work });

    const copy = lab.button("Copy link", async () => {
      try {
        const link = await lab.keep_in_address("playground", held());
        const copied = await navigator.clipboard.writeText(link).then(() => true, () => false);
        bench.say(copied ? "The link is copied. It holds the kernel; nothing was sent anywhere." : "The link stands in the browser's address field: copy it from there.");
      } catch (error) {
        bench.say(error.message);
      }
    });
    const before = held();
    const take = (link) => {
      editor.text = link.source ?? example;
      entry.input.value = link.entry ?? "";
      grid.input.value = (link.grid ?? before.grid).join(",");
      block.input.value = (link.block ?? before.block).join(",");
      shared.input.value = link.shared ?? 0;
      given.input.value = link.arguments ?? "";
      bench.result.replaceChildren();
      bench.say("This is a kernel from a link. Read it, then click Run.");
    };
    const reset = lab.button("Reset", () => {
      take({ ...before, source: `${example}\n` });
      bench.say("The example.");
    });

    const panel = element(
      "section",
      { className: "ct-lab", "aria-label": "Laboratory: playground" },
      editor.element,
      element("div", { className: "ct-lab-fields" }, grid.element, block.element, shared.element, entry.element, shown_numbers.element, checks.element),
      element("div", { className: "ct-lab-fields" }, given.element),
      element("div", { className: "ct-lab-buttons" }, bench.started, bench.stopped, reset, copy),
      bench.status,
      bench.bar,
      bench.result,
    );
    lab.keep_keys(panel);
    place.replaceChildren(panel);
    return take;
  };
})(window.cornerturn_lab);
