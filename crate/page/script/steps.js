// The player: one warp of a run, step by step, forward and back. Loaded when it is opened; stepping.js opens it. What stands
// at a step is the engine's to say.
"use strict";

((lab) => {
  const { element } = lab;
  const AROUND = 3;

  document.head.append(element("link", { rel: "stylesheet", href: `${lab.root()}lab/steps.css` }));

  /// The ways to step: from an index in `lines` and `marks` to another, or the same where there is none.
  const WAYS = [
    {
      words: "instruction",
      keys: ["ArrowLeft", "ArrowRight"],
      go: ({ marks }, at, by) => {
        let next = at + by;
        while (next >= 0 && next < marks.length && marks[next] === "o") next += by;
        return next >= 0 && next < marks.length ? next : at;
      },
    },
    {
      words: "line",
      keys: ["ArrowUp", "ArrowDown"],
      go: ({ visits }, at, by) => {
        const here = visit_at(visits, at);
        const next = by < 0 && here >= 0 && visits[here].from < at ? here : here + by;
        return visits[next]?.from ?? at;
      },
    },
    {
      words: "same line",
      keys: [",", "."],
      go: ({ visits }, at, by) => {
        const here = visit_at(visits, at);
        for (let next = here + by; next >= 0 && next < visits.length; next += by) if (visits[next].line === visits[here]?.line) return visits[next].from;
        return at;
      },
    },
    {
      words: "barrier",
      keys: ["PageUp", "PageDown"],
      go: ({ marks }, at, by) => {
        for (let next = at + by; next >= 0 && next < marks.length; next += by) if (marks[next] !== ".") return next;
        return at;
      },
    },
  ];

  /// Runs of steps of the warp at one line.
  const visits_of = ({ lines, marks }) => {
    const visits = [];
    for (const [at, line] of lines.entries()) {
      if (marks[at] === "o" || line === 0) continue;
      if (visits.at(-1)?.line !== line) visits.push({ line, from: at });
    }
    return visits;
  };

  /// The last visit that has begun at a step; -1 before the first.
  const visit_at = (visits, at) => visits.findLastIndex(({ from }) => from <= at);

  // What is shown of a step ------------------------------------------------------------------------------------------

  /// The lines around the one that is executed, which is marked.
  const excerpt = (lines, line) => {
    const first = Math.max(1, line - AROUND);
    const one = (number) => {
      const pieces = lines[number - 1].map(([text, name]) => (name ? element("span", { className: name }, text) : text));
      const sign = number === line ? "▸" : " ";
      return element("span", number === line ? { className: "ct-steps-line", "aria-current": "step" } : {}, `${sign}${String(number).padStart(4)}  `, ...pieces);
    };
    const numbers = [];
    for (let number = first; number <= Math.min(lines.length, line + AROUND); number += 1) numbers.push(number);
    return element("pre", { className: "ct-steps-code hljs", tabIndex: 0, role: "group", "aria-label": `Line ${line} and those around it` }, ...numbers.map(one));
  };

  const has = (mask, lane) => ((mask >>> lane) & 1) === 1;

  /// The 32 lanes with the values of the chosen rows.
  const lanes = (step, rows) => {
    const cell = (row, lane) => {
      const value = row.cells[lane];
      if (value === null) return null;
      const is_crowded = has(row.crowded, lane);
      const named = row.what === "access" ? `${row.name} ${value}` : value;
      return element("span", { className: `ct-steps-${row.what} ${is_crowded ? "ct-steps-crowded" : ""}`, title: `${row.name} = ${value}${is_crowded ? ", asked for several words" : ""}` }, named, is_crowded ? " ×" : "");
    };
    const one = (lane) => {
      const state = has(step.mask, lane) ? "" : has(step.active, lane) ? "held back" : "not here";
      const values = rows.map((row) => cell(row, lane));
      return element("li", { className: state ? "ct-steps-off" : "" }, element("b", {}, element("span", { className: "ct-lab-heard" }, "lane "), String(lane)), ...values, state ? element("i", {}, state) : null);
    };
    return element("ol", { className: "ct-steps-lanes", "aria-label": "Lanes of the warp" }, ...Array.from({ length: 32 }, (_, lane) => one(lane)));
  };

  /// What a row is chosen by: whatever is written is one choice.
  const choice = (row) => (row.what === "written" ? "written" : row.name);

  const SORTS = { written: "written here", access: "accessed here", variable: "variable" };

  const values_table = (step, chosen, on_choice) => {
    if (step.rows.length === 0) return null;
    const one = (row) => {
      const check = element("input", { type: "checkbox", checked: chosen.has(choice(row)), "aria-label": `show ${row.name} by lane`, onchange: (event) => on_choice(choice(row), event.target.checked) });
      return element("tr", { className: row.is_new ? "ct-steps-new" : "" }, element("td", {}, check), element("th", { scope: "row" }, element("code", {}, row.name)), element("td", { className: "ct-words" }, SORTS[row.what]), element("td", { className: "ct-words" }, row.words));
    };
    const heads = ["by lane", "name", "what", "values"].map((words) => element("th", { scope: "col" }, words));
    return element("div", { className: "ct-scroll", tabIndex: 0 }, element("table", { className: "ct-lab-counters ct-steps-values" }, element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...step.rows.map(one))));
  };

  // The player -------------------------------------------------------------------------------------------------------

  const three = (text) => {
    const numbers = text.split(/[\s,x×()]+/).filter(Boolean).map(Number);
    return numbers.length >= 1 && numbers.length <= 3 && numbers.every((number) => Number.isInteger(number) && number >= 0 && number < 2 ** 32) ? [...numbers, 0, 0].slice(0, 3) : null;
  };

  /// A player for what `ask(request)` answers. `open(place)` shows a place: a block, a warp or thread, a line.
  lab.player = (ask, close) => {
    let walk = null;
    let step = null;
    let is_busy = false;
    /// The step that is wanted next, while another is being asked for.
    let wanted = null;
    const chosen = new Set(["written", "bank", "sector"]);

    const said = element("p", { className: "ct-lab-status", role: "status" });
    const body = element("div", { className: "ct-steps-body" });
    const count = element("output", { className: "ct-note" });
    const slider = element("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": "Step", oninput: () => go(slider.valueAsNumber) });
    const block = lab.field("block", { value: "0,0,0", className: "ct-lab-short" });
    const warp = lab.number("warp", 0, 0, 31);
    const further = lab.button("Record further", () => open({ block: walk.block, warp: walk.warp, skipped: walk.next }), { hidden: true });
    const again = lab.button("From the beginning", () => open({ block: walk.block, warp: walk.warp }), { hidden: true });

    const follow = () => {
      const at = three(block.input.value);
      block.input.setAttribute("aria-invalid", String(at === null));
      if (at === null || warp.get() === null) said.textContent = "block: one to three whole numbers, such as 1,0; warp: a whole number.";
      else open({ block: at, warp: warp.get() });
    };
    for (const field of [block, warp]) field.input.addEventListener("change", follow);

    const draw = () => {
      const here = visit_at(walk.visits, step.at);
      const line = step.line ?? walk.visits[here]?.line ?? 0;
      const same = walk.visits.filter((visit) => visit.line === line);
      const time = same.findLastIndex(({ from }) => from <= step.at) + 1;
      const is_other = step.warp !== walk.warp;
      count.textContent = `step ${lab.digits(step.number)}${walk.is_cut ? "" : ` of ${lab.digits(walk.next)}`}${line > 0 ? `, line ${line}` : ""}${same.length > 1 ? `, time ${time} of ${same.length}` : ""}`;
      slider.value = step.at;
      slider.setAttribute("aria-valuetext", count.textContent);
      const rows = step.rows.filter((row) => chosen.has(choice(row)));
      const on_choice = (name, is_on) => {
        if (is_on) chosen.add(name);
        else chosen.delete(name);
        body.querySelector(".ct-steps-lanes")?.replaceWith(lanes(step, step.rows.filter((row) => chosen.has(choice(row)))));
      };
      body.replaceChildren(
        ...[
          line > 0 && line <= walk.coloured.length ? excerpt(walk.coloured, line) : null,
          step.elsewhere ? element("p", { className: "ct-note" }, step.elsewhere) : null,
          element("p", {}, step.instruction ? element("code", {}, step.instruction) : null, step.instruction ? " " : null, is_other ? "" : `${step.lanes}.`),
          step.event ? element("p", {}, element("strong", {}, `${step.event}.`)) : null,
          step.waiting ? element("p", {}, `${step.waiting}.`) : null,
          step.access ? element("p", {}, `${step.access}.`) : null,
          is_other ? null : lanes(step, rows),
          values_table(step, chosen, on_choice),
          step.picture ? lab.figure(step.picture) : null,
        ].filter(Boolean),
      );
      further.hidden = !walk.is_cut;
      again.hidden = walk.skipped === 0;
    };

    const busy = (now) => {
      is_busy = now;
      shown.setAttribute("aria-busy", String(now));
    };

    /// Shows a step; of several that are asked for while one is on its way, the last.
    const go = async (at) => {
      wanted = at;
      if (is_busy || !walk) return;
      busy(true);
      try {
        while (wanted !== null) {
          const next = wanted;
          wanted = null;
          const answer = await ask({ verb: "step", id: walk.id, at: next });
          // An engine that was started anew, or that follows another warp since, has them no more.
          if (answer?.error) {
            const opened = await ask({ verb: "steps", id: walk.id, block: walk.block, warp: walk.warp, skipped: walk.skipped });
            if (opened.error) throw new Error(opened.error.message);
            wanted ??= next;
            continue;
          }
          step = answer;
          draw();
          said.classList.add("ct-lab-heard");
          said.textContent = step.words;
        }
      } catch (error) {
        said.classList.remove("ct-lab-heard");
        said.textContent = error.message;
      } finally {
        busy(false);
      }
    };

    const open = async (place) => {
      if (is_busy) return;
      busy(true);
      const id = lab.new_id();
      said.classList.remove("ct-lab-heard");
      said.textContent = "It is run again, and this warp's steps are recorded …";
      try {
        const answer = await ask({ verb: "steps", id, ...place });
        if (answer.error) throw new Error(answer.error.message);
        walk = { ...answer, id, visits: visits_of(answer), coloured: lab.colour(answer.code) };
        step = answer.step;
        slider.max = walk.marks.length - 1;
        block.input.value = walk.block.join(",");
        warp.input.max = walk.warps - 1;
        warp.input.value = walk.warp;
        draw();
        said.classList.toggle("ct-lab-heard", !walk.note);
        said.textContent = [walk.note, step.words].filter(Boolean).join(" ");
      } catch (error) {
        said.textContent = error.message;
      } finally {
        busy(false);
      }
    };

    const move = (way, by) => {
      if (!walk) return;
      const from = wanted ?? step.at;
      const to = way.go(walk, from, by);
      if (to !== from) return go(to);
      said.classList.remove("ct-lab-heard");
      said.textContent = by < 0 ? `There is no ${way.words} before this one${walk.skipped > 0 ? " in what is recorded" : ""}.` : `There is no ${way.words} behind this one${walk.is_cut ? " in what is recorded" : ""}.`;
    };
    const pair = (way) => {
      const button = (sign, by, words) => lab.button(sign, () => move(way, by), { "aria-label": `${words} by ${way.words}`, title: `${words} by ${way.words} (${way.keys[by < 0 ? 0 : 1]})` });
      return element("span", { className: "ct-steps-way", role: "group", "aria-label": way.words }, button("‹", -1, "Back"), element("span", { "aria-hidden": "true" }, way.words), button("›", 1, "Forward"));
    };

    const shown = element(
      "section",
      { className: "ct-steps", "aria-label": "Step by step", tabIndex: -1 },
      element("div", { className: "ct-lab-head" }, element("strong", {}, "Step by step"), element("span", { className: "ct-note" }, "one warp, in the order in which the emulator executes it; keys ← → ↑ ↓, PageUp and PageDown"), lab.button("Close the steps", close, { className: "ct-lab-close" })),
      element("div", { className: "ct-lab-fields" }, block.element, warp.element, count),
      element("div", { className: "ct-lab-buttons ct-steps-ways" }, ...WAYS.map(pair), further, again),
      slider,
      said,
      body,
    );
    shown.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, textarea, .ct-scroll, pre")) return;
      const way = WAYS.find(({ keys }) => keys.includes(event.key));
      if (way) {
        event.preventDefault();
        move(way, way.keys[0] === event.key ? -1 : 1);
      }
    });
    return { element: shown, open };
  };
})(window.cornerturn_lab);
