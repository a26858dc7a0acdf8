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

  /// The same as text, without ones at the end.
  const short = (three) => three.join(",").replace(/(,1)+$/, "");

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
      on_change: () => {
        reset.forget();
        keep_soon();
      },
      on_run: () => bench.run(),
      on_leave: () => bench.started.focus(),
    });
    const grid = lab.field("grid", { value: data.grid ?? "1", className: "ct-lab-short" });
    const block = lab.field("block", { value: data.block ?? "32", className: "ct-lab-short" });
    const shared = lab.number("dynamic shared memory, bytes", 0, 0, 233_472);
    const entry = lab.field("entry, if there are several", { value: "", className: "ct-lab-short" });
    const checks = lab.check("all checks", true);
    const given_lines = (data.arguments ?? "").split(";").map((line) => line.trim()).join("\n");
    const given = lab.field("arguments, one a line", { tag: "textarea", className: "ct-lab-arguments", rows: 5, value: given_lines });
    const shown_numbers = lab.field("show only arguments, such as 0,2", { value: data.show ?? "", className: "ct-lab-short" });

    const held = () => {
      const launched = { grid: three(grid.input.value), block: three(block.input.value) };
      for (const [name, value] of Object.entries(launched)) if (value === null) refuse(`${name}: one to three whole numbers, such as 32,8.`);
      if (shared.get() === null) refuse(shared.wanted);
      return { source: editor.text, entry: entry.input.value.trim(), ...launched, shared: shared.get(), arguments: given.input.value, show: shown_numbers.input.value };
    };

    /// The kernel that the launch in the fields was written for, and that.
    const launch_now = () => `${grid.input.value};${block.input.value}`;
    let meant = { entry: /__global__\s+void\s+(\w+)/.exec(example)?.[1] ?? "", text: given_lines, launch: launch_now() };
    const of_example = meant;

    /// Asks for a launch that fits: what the program around the kernel says of it, unless somebody wrote one into the fields.
    const ask_launch = ({ source, entry: name, grid: blocks, block: threads }, on_progress) => {
      const request = { verb: "suggest", source, entry: name === "" ? null : name, grid: blocks, block: threads, keeps_launch: launch_now() !== meant.launch };
      return lab.ask(request, { on_progress });
    };

    /// Puts arguments that fit in the place of those that were written for another kernel, and says so.
    const fill_for_another = async (wanted, on_progress) => {
      const { source, entry: name } = wanted;
      const [plain] = lab.readable(meant.entry, []).split("<");
      const is_another = name === "" ? !source.match(/[\w$]+/g)?.includes(plain) : name !== meant.entry;
      if (!is_another || given.input.value !== meant.text) return null;
      const answer = await ask_launch(wanted, on_progress);
      if (!answer.arguments) return null;
      take_suggested(answer);
      const words = `Arguments that fit ${lab.readable(answer.entry, [])} were filled in, since those in the field were for another kernel.`;
      return element("div", {}, ...lab.paragraphs([words, ...said_of(answer)].join("\n")));
    };

    /// What of the program was taken over, what was not, and what is a guess.
    const said_of = ({ entry, taken = [], left = [], launches = 0 }) => {
      const of_many = launches > 1 ? `; it is the first of ${launches}` : "";
      const template = lab.readable(entry, []).includes("<") ? ", and what a template's pointers lead to, if not to f32" : "";
      return [
        taken.length > 0 ? `Taken from the program's launch${of_many}: ${taken.join(", ")}.` : "",
        left.length > 0 ? `Not taken, since the text does not say plainly what it is: ${left.join(", ")}.` : "",
        `The rest is a guess: what its numbers mean is yours to say${template}.`,
      ].filter(Boolean);
    };

    const take_suggested = (answer) => {
      given.input.value = answer.arguments.join("\n");
      if (answer.shared > 0) shared.input.value = answer.shared;
      if (answer.is_chosen) entry.input.value = lab.readable(answer.entry, []);
      grid.input.value = short(answer.grid);
      block.input.value = short(answer.block);
      shown_numbers.input.value = "";
      meant = { entry: answer.entry, text: given.input.value, launch: launch_now() };
    };

    const work = async (on_progress) => {
      const filled = await fill_for_another(held(), on_progress);
      const { source, entry: name, grid: blocks, block: threads, shared: bytes, arguments: text } = held();
      const show = shown_numbers.input.value.split(/[\s,]+/).filter(Boolean).map(Number).filter((number) => Number.isInteger(number) && number >= 0);
      const request = { verb: "launch", source, entry: name === "" ? null : name, grid: blocks, block: threads, shared: bytes, arguments: lines_of(text), checks: checks.input.checked, show: show.length > 0 ? show : null };
      const answer = await lab.ask(request, { on_progress });
      keep();
      await lab.keep_in_address("playground", held()).catch(() => {});
      return shown(answer, filled, lab.stepping(request));
    };
    const shown = (answer, filled = null, steps = null) => {
      editor.mark(lab.marks(lab.messages(answer)));
      const [verdict, ...rest] = lab.result(answer, editor.jump, answer.entries ? null : steps);
      return { summary: lab.summary(answer), parts: [verdict, filled, ...ways_on(answer), ...rest].filter(Boolean) };
    };
    const bench = lab.bench({ start: "Run", work });

    /// What is wanted before it can run, each by a button: arguments that fit, or one of several kernels.
    const ways_on = ({ error, entries }) => {
      const fill = (field, text) => {
        field.input.value = text;
        bench.run();
      };
      const buttons = (entries ?? []).map((name) => lab.button(`Run ${lab.readable(name, entries)}`, () => fill(entry, name)));
      if (error?.shared > 0) buttons.push(lab.button(`Take ${lab.digits(error.shared)} bytes of shared memory, and run`, () => fill(shared, error.shared)));
      const take_arguments = () => {
        shown_numbers.input.value = "";
        fill(given, error.arguments.join("\n"));
      };
      if (error?.arguments?.length > 0) buttons.push(lab.button("Take arguments that fit, and run", take_arguments));
      return buttons.length > 0 ? [element("div", { className: "ct-lab-buttons" }, ...buttons)] : [];
    };

    /// Fills in arguments that fit the kernel in the editor, and runs nothing.
    const suggest = bench.other("Suggest arguments", async (on_progress) => {
      const answer = await ask_launch(held(), on_progress);
      if (!answer.arguments) return shown(answer);
      take_suggested(answer);
      const name = lab.readable(answer.entry, []);
      const summary = answer.arguments.length > 0 ? `Arguments that fit ${name} are filled in.` : `${name} takes no arguments.`;
      return { summary, parts: lab.paragraphs([summary, ...said_of(answer)].join("\n")) };
    });

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
      grid.input.value = short(link.grid ?? before.grid);
      block.input.value = short(link.block ?? before.block);
      shared.input.value = link.shared ?? 0;
      given.input.value = link.arguments ?? "";
      shown_numbers.input.value = link.show ?? "";
      bench.result.replaceChildren();
      const is_own = link.source !== undefined && link.source === lab.recall("playground")?.source;
      bench.say(is_own ? "Your kernel, as you left it. Reset gives the example." : "This is a kernel from a link. Read it, then click Run.");
    };
    const now = () => ({ source: editor.text, entry: entry.input.value, grid: three(grid.input.value), block: three(block.input.value), shared: shared.get() ?? 0, arguments: given.input.value, show: shown_numbers.input.value });

    /// What is written here stays in this browser: who comes back finds it.
    let later = 0;
    const keep = () => {
      clearTimeout(later);
      later = 0;
      lab.remember("playground", editor.text === before.source ? null : now());
    };
    const keep_soon = () => {
      clearTimeout(later);
      later = setTimeout(keep, 300);
    };
    const reset = lab.reset({
      now,
      first: () => before,
      put: (held, is_back) => {
        take(held);
        if (!is_back) meant = of_example;
        keep_soon();
        bench.say(is_back ? "Your kernel." : "The example.");
      },
    });

    const panel = element(
      "section",
      { className: "ct-lab", "aria-label": "Laboratory: playground" },
      editor.element,
      element("div", { className: "ct-lab-fields" }, grid.element, block.element, shared.element, entry.element, shown_numbers.element, checks.element),
      element("div", { className: "ct-lab-fields" }, given.element),
      element("div", { className: "ct-lab-buttons" }, bench.started, bench.stopped, suggest, reset, copy),
      bench.status,
      bench.bar,
      bench.result,
    );
    lab.keep_keys(panel);
    panel.addEventListener("input", keep_soon);
    addEventListener("pagehide", () => later > 0 && keep());
    place.replaceChildren(panel);
    const own = lab.recall("playground");
    if (typeof own?.source === "string") take(lab.checked(own));
    return take;
  };
})(window.cornerturn_lab);
