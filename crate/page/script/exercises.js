// Exercises in the page: the starter in the editor, hints one by one, the check with the terminal's words; the answers and
// what was passed in this browser, to be exported and imported. Grading is the engine's, and so is the file's form.
"use strict";

((lab) => {
  const { element } = lab;
  const NEEDS = { needs: ["exercises"] };
  const MOST_IMPORTED_BYTES = 4_000_000;
  const NAME = /^[A-Za-z0-9_-]{1,64}$/;

  const ask = async (request, options) => {
    const answer = await lab.ask({ ...request, participant: participant() }, { ...NEEDS, ...options });
    if (answer.error && request.verb !== "check") throw Object.assign(new Error(answer.error.message), { kind: answer.error.kind });
    return answer;
  };

  // What was passed --------------------------------------------------------------------------------------------------

  const is_object = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  const count_of = (value) => (Number.isInteger(value) && value >= 0 && value < 2 ** 32 ? value : 0);
  const text_of = (value) => (typeof value === "string" ? value : "");

  /// What was passed, by id: `{when, attempts, hints, answer}`, the first in seconds since 1970.
  const passed = () => {
    const kept = lab.recall("passed");
    const entries = Object.entries(is_object(kept) ? kept : {}).filter(([id, entry]) => NAME.test(id) && is_object(entry));
    const taken = ({ when, attempts, hints, answer }) => ({ when: count_of(when), attempts: count_of(attempts), hints: count_of(hints), answer: text_of(answer) });
    return new Map(entries.map(([id, entry]) => [id, taken(entry)]).filter(([, { when }]) => when > 0));
  };
  const listeners = [];
  const keep_passed = (entries) => {
    lab.remember("passed", Object.fromEntries([...entries, ...passed()]));
    for (const listener of listeners) listener();
  };

  const is_participant = (name) => typeof name === "string" && name.length > 0 && name.length <= 64;

  /// Whose numbers are asked for where they are to be predicted: drawn once in each browser, or taken with the first import.
  const participant = () => {
    const kept = lab.recall("participant");
    if (is_participant(kept)) return kept;
    const drawn = `page-${crypto.getRandomValues(new Uint32Array(1))[0].toString(36)}`;
    lab.remember("participant", drawn);
    return drawn;
  };

  /// What stands in the editor of an exercise; nothing where it was never changed.
  const written = (id) => text_of(lab.recall(`answer-${id}`));

  const download = (text) => {
    const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    const link = element("a", { href: url, download: "progress.json" });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  };

  /// The text of a progress file with all that this browser has.
  const exported = async () => {
    const done = passed();
    const kept = (await ask({ verb: "exercises" })).map(({ id }) => {
      const { when = 0, attempts = 0, hints = 0, answer = "" } = done.get(id) ?? {};
      return { id, passed: when, attempts, hints, answer: answer || written(id) };
    });
    const exercises = kept.filter((entry) => entry.passed > 0 || entry.answer !== "");
    return (await ask({ verb: "export", exercises, edited: lab.recall("edited") === true })).text;
  };

  /// Takes over a progress file, and says what was taken; fails with a sentence. What this browser has already stays.
  const imported = async (file) => {
    if (file.size > MOST_IMPORTED_BYTES) throw new Error("The file is too large for a progress file.");
    const read = await ask({ verb: "import", text: await file.text() });
    if (passed().size === 0 && is_participant(read.participant)) lab.remember("participant", read.participant);
    if (read.edited) lab.remember("edited", true);
    // Numbers are asked of a name: those of another are no answers here.
    const is_mine = read.participant === participant();
    const taken = read.exercises.filter(({ kind }) => is_mine || kind !== "predict");
    const answered = taken.filter(({ id, answer }) => answer !== "" && written(id) === "");
    for (const { id, answer } of answered) lab.remember(`answer-${id}`, answer);
    const done = taken.filter((entry) => entry.passed > 0);
    keep_passed(done.map(({ id, passed: when, attempts, hints, answer }) => [id, { when, attempts, hints, answer }]));
    const left_out = read.exercises.length - taken.length;
    return `The file has ${done.length} passed, and ${answered.length} answers were new here.${left_out > 0 ? ` Predictions were left out: they were asked of ${read.participant}.` : ""}`;
  };

  /// The line that says how many were passed, with Export and Import.
  lab.show_progress = (place) => {
    const said = element("span", { role: "status" });
    const count = () => {
      const number = passed().size;
      said.textContent = number === 0 ? "No exercise was passed in this browser yet." : `Passed in this browser: ${number}.`;
    };
    const export_button = lab.button("Export", async () => {
      try {
        download(await exported());
        said.textContent = "progress.json is saved, with your answers: cornerturn exercise report reads it.";
      } catch (error) {
        said.textContent = error.message;
      }
    });
    const input = element("input", { type: "file", accept: ".json,application/json", hidden: true, onchange: async () => {
      try {
        said.textContent = await imported(input.files[0]);
      } catch (error) {
        said.textContent = error.message;
      }
      input.value = "";
    } });
    place.classList.add("ct-lab-passed");
    place.replaceChildren(said, export_button, lab.button("Import", () => input.click()), input);
    listeners.push(count);
    count();
  };

  // One exercise -----------------------------------------------------------------------------------------------------

  const ANSWER = /^([ \t]*\/\/[ \t]*ANSWER[ \t]+(\w+):)[ \t]*(.*)$/gm;

  /// The answer of an exercise as number fields: the lines of the starter that ask for one.
  const number_form = (exercise, kept) => {
    const held = (text) => new Map([...text.matchAll(ANSWER)].map((line) => [line[2], line[3].trim()]));
    const old = held(kept ?? "");
    const questions = new Map((Array.isArray(exercise.questions) ? exercise.questions : []).map((asked) => [asked.name, asked.question]));
    const fields = [...held(exercise.starter).keys()].map((name) => ({
      name,
      ...lab.field("your answer", { inputMode: "decimal", value: old.get(name)?.replace("?", "") ?? "", className: "ct-lab-short" }),
    }));
    const line = ({ name, input, element: field }) => {
      const asked = element("p", { id: lab.new_id() }, questions.get(name));
      input.setAttribute("aria-describedby", asked.id);
      return element("div", { className: "ct-lab-question" }, asked, field);
    };
    const lines = fields.map(line);
    return {
      element: element("div", {}, ...lines),
      get text() {
        return exercise.starter.replace(ANSWER, (line, head, name) => {
          const value = fields.find((field) => field.name === name)?.input.value.trim().replace(",", ".") ?? "";
          return `${head} ${value === "" ? "?" : value.replace(/[^\w.+-]/g, "")}`;
        });
      },
      /// What is graded: the fields as they are, by name.
      get answer() {
        return Object.fromEntries(fields.map(({ name, input }) => [name, input.value.trim().replace(",", ".")]));
      },
      set text(value) {
        const given = held(value);
        for (const field of fields) field.input.value = given.get(field.name)?.replace("?", "") ?? "";
      },
      mark: () => {},
      jump: () => fields[0]?.input.focus(),
      focus: () => fields[0]?.input.focus(),
    };
  };

  const open = async (id, close) => {
    const exercise = await ask({ verb: "exercise", id });
    const text = written(id) || null;
    const keep = () => lab.remember(`answer-${id}`, form.text);
    const jump = (...place) => form.jump(...place);
    const tried = new Set();

    const solution = (answer) =>
      answer.solution ? element("details", { className: "ct-fold" }, element("summary", {}, "The solution"), element("pre", { className: "ct-output", tabIndex: 0 }, ...coloured(answer.solution))) : null;

    const work = async (on_progress) => {
      const seed = crypto.getRandomValues(new Uint32Array(1))[0];
      keep();
      tried.add(form.text);
      const answer = await ask({ verb: "check", id, answer: form.answer ?? form.text, seed }, { on_progress });
      const messages = lab.messages(answer);
      if (answer.line > 0 && exercise.kind !== "predict" && !messages.some(({ line }) => line === answer.line)) messages.push({ kind: "finding", title: "the verdict is about", words: "", more: [], line: answer.line });
      form.mark(lab.marks(messages));
      if (answer.passed) keep_passed([[id, { when: Math.floor(Date.now() / 1000), attempts: tried.size, hints: hints.childElementCount, answer: form.text }]]);
      // What to type next is said in a terminal; here there are buttons.
      const words = (answer.text ?? answer.error?.message ?? "").replace(/^ *next: .*`cornerturn .*\n?/m, "").replace(/; `cornerturn .*` draws it again$/m, "");
      return {
        summary: answer.passed ? "Passed." : answer.is_starter ? "This is the starter: the arrow shows what is to be done." : "Not yet.",
        parts: [
          element("div", { className: `ct-lab-verdict ${answer.passed ? "ct-right" : answer.is_starter ? "ct-starter" : "ct-wrong"}` }, element("p", { className: "ct-verdict-head" }, answer.passed ? "✓ Passed" : answer.is_starter ? "→ To be done" : "✗ Not yet"), element("pre", { className: "ct-output", tabIndex: 0 }, words)),
          lab.message_list(messages, jump),
          solution(answer),
        ].filter(Boolean),
      };
    };
    const bench = lab.bench({ start: "Check", work });

    const form =
      exercise.kind === "predict"
        ? number_form(exercise, text)
        : lab.editor({
            label: `Your answer to ${exercise.title}`,
            text: text ?? exercise.starter,
            on_change: () => {
              reset.forget();
              keep();
            },
            on_run: () => bench.run(),
            on_leave: () => bench.started.focus(),
          });
    form.element.addEventListener("keydown", (event) => {
      if (exercise.kind === "predict" && event.key === "Enter") bench.run();
    });

    const hints = element("div", {});
    const hint_words = () => `Hint ${hints.childElementCount + 1} of ${exercise.hints}`;
    const hint = lab.button("", async () => {
      try {
        const told = await ask({ verb: "hint", id, number: hints.childElementCount + 1 });
        hints.append(element("div", { className: "ct-hint", role: "status" }, ...lab.paragraphs(told.text)));
        hint.hidden = hints.childElementCount >= exercise.hints;
        hint.textContent = hint_words();
      } catch (error) {
        bench.say(error.message);
      }
    });
    hint.textContent = hint_words();
    hint.hidden = !(exercise.hints > 0);

    const reset = lab.reset({
      now: () => form.text,
      first: () => exercise.starter,
      put: (text, is_back) => {
        form.text = text;
        lab.remember(`answer-${id}`, is_back ? text : null);
        bench.result.replaceChildren();
        bench.say(is_back ? "Your answer." : "The starter, as you got it.");
      },
    });

    const shown = element(
      "section",
      { className: "ct-lab", "aria-label": `Laboratory: ${exercise.title}` },
      element("div", { className: "ct-lab-head" }, element("strong", {}, exercise.title), element("span", { className: "ct-note" }, " is graded in this page; nothing is sent anywhere."), lab.button("Close", close, { className: "ct-lab-close" })),
      form.element,
      element("div", { className: "ct-lab-buttons" }, bench.started, bench.stopped, hint, reset),
      bench.status,
      bench.bar,
      hints,
      bench.result,
    );
    lab.keep_keys(shown);
    return { element: shown, focus: () => form.focus() };
  };

  const coloured = (text) =>
    lab.colour(text.trimEnd()).flatMap((line) => [...line.map(([words, name]) => (name === "" ? words : element("span", { className: name }, words))), "\n"]);

  /// The buttons below an exercise's starter.
  lab.prepare_exercise = (place) => {
    const id = place.dataset.exercise;
    const status = element("p", { className: "ct-lab-status", role: "status" });
    let panel = null;
    const close = () => {
      panel?.element.remove();
      panel = null;
      buttons.hidden = false;
      start.focus();
    };
    const start = lab.button("Solve it here", async () => {
      if (panel) return;
      status.textContent = "The laboratory is being loaded …";
      try {
        panel = await open(id, close);
        status.textContent = "";
        place.after(panel.element);
        buttons.hidden = true;
        panel.focus();
      } catch (error) {
        status.textContent = error.message;
      }
    }, { className: "ct-lab-main", "aria-label": `Solve ${id} here` });
    const done = element("span", { className: "ct-lab-done" });
    const tell = () => (done.textContent = passed().has(id) ? "✓ passed in this browser" : "");
    listeners.push(tell);
    tell();
    const buttons = element("div", { className: "ct-lab-buttons ct-lab-open" }, start, done);
    place.append(buttons, status);
  };
})(window.cornerturn_lab);
