// What a run gave, as elements: verdict, messages at their lines, counters beside the book's, pictures, values. Texts are
// placed as texts; a picture is taken only if nothing in it can act.
"use strict";

((lab) => {
  const { element } = lab;

  const plural = (number, one, many) => `${lab.digits(number)} ${number === 1 ? one : many}`;

  // Names ------------------------------------------------------------------------------------------------------------

  const SCALARS = { b: "bool", a: "char", c: "char", h: "unsigned char", s: "short", t: "unsigned short", i: "int", j: "unsigned", l: "long", m: "unsigned long", x: "long long", y: "unsigned long long", f: "float", d: "double" };

  const of_source = (name) => {
    const [head, length] = /^_Z(\d+)/.exec(name) ?? [];
    if (!head) return name;
    const end = head.length + Number(length);
    const of_instance = /^I((?:L[a-z]n?\d+E|[a-z])+)E/.exec(name.slice(end));
    const one = (part) => (part.startsWith("L") ? part.slice(2, -1).replace("n", "-") : (SCALARS[part] ?? part));
    const list = of_instance?.[1].match(/L[a-z]n?\d+E|[a-z]/g).map(one);
    return name.slice(head.length, end) + (list ? `<${list.join(", ")}>` : "");
  };

  /// A kernel's name in PTX as its source has it, an instance of a template with its arguments; unless another is the same.
  lab.readable = (name, all) => {
    const words = of_source(name);
    return all.some((other) => other !== name && of_source(other) === words) ? name : words;
  };

  // Messages ---------------------------------------------------------------------------------------------------------

  const SIGNS = { error: "✗", warning: "!", finding: "●" };

  const of_diagnostic = (told) => ({
    kind: told.severity === "warning" || told.severity === "note" ? "warning" : "error",
    title: told.severity === "warning" || told.severity === "note" ? "warning" : "error",
    words: told.message,
    more: [told.help],
    line: told.line,
    column: told.column,
    end_column: told.end_line === told.line ? told.end_column : null,
  });

  const place = (three) => (Array.isArray(three) ? `(${three.join(", ")})` : three);

  const where = (found) =>
    [
      found.block && `block ${place(found.block)}`,
      found.thread && `thread ${place(found.thread)}`,
      found.count > 1 && `${lab.digits(found.count)} times`,
    ]
      .filter(Boolean)
      .join(", ");

  /// A message often begins with its kind, which stands before it anyway.
  const without_kind = ({ message, kind }) => {
    const words = String(message).replace(/\b_Z\w+/g, of_source);
    const head = `${String(kind).replace(/_/g, " ")}: `;
    return words.startsWith(head) ? words.slice(head.length) : words;
  };

  const of_finding = (found) => ({
    kind: "finding",
    title: String(found.kind ?? "finding").replace(/_/g, " "),
    words: without_kind(found),
    more: [found.hint, /\bblock \(/.test(found.message) ? null : where(found)],
    line: found.line,
    at: found.block && found.line > 0 ? { block: found.block, thread: found.thread, line: found.line, address: found.address } : null,
  });

  /// All messages of an answer, the warnings last.
  lab.messages = (answer) => {
    const told = [...(answer.error?.diagnostics ?? []).map(of_diagnostic), ...(answer.findings ?? []).map(of_finding), ...(answer.compiled?.warnings ?? []).map(of_diagnostic)];
    return told.sort((one, other) => (one.kind === "warning") - (other.kind === "warning"));
  };

  lab.marks = (messages) => messages.filter(({ line }) => line > 0).map((told) => ({ ...told, sign: SIGNS[told.kind] }));

  /// A button that opens the steps of a run at a place; nothing where there are none.
  const step_button = (step, at, words) => (step && at ? lab.button("step", () => step(at), { className: "ct-lab-jump", "aria-label": `Step to ${words}` }) : null);

  /// A list of messages; a line's number leads to it, by `jump(line, column, end_column)`, and to its step, by `step(place)`.
  lab.message_list = (messages, jump, step = null) => {
    const item = (told) =>
      element(
        "li",
        { className: `ct-lab-message ct-lab-${told.kind}` },
        element("p", {}, element("strong", {}, `${SIGNS[told.kind]} ${told.title}`), " ", told.line > 0 ? lab.button(`line ${told.line}`, () => jump(told.line, told.column, told.end_column), { className: "ct-lab-jump" }) : null, " ", step_button(step, told.at, `this finding in line ${told.line}`), " ", ...lab.with_code(told.words)),
        ...told.more.filter(Boolean).map((words) => element("p", {}, ...lab.with_code(words))),
      );
    return messages.length === 0 ? null : element("ul", { className: "ct-lab-messages" }, ...messages.map(item));
  };

  // Counters ---------------------------------------------------------------------------------------------------------

  const with_breaks = (metric) => String(metric).split(/(?=__|_op_|_pipe_)/).flatMap((part, at) => (at > 0 ? [element("wbr"), part] : [part]));

  const has_committed = (counter) => typeof counter.committed === "number";
  const differs = (counter) => has_committed(counter) && counter.committed !== counter.value;

  const difference = (counter) => {
    if (!differs(counter)) return "";
    const change = counter.value - counter.committed;
    return `${change > 0 ? "▲ +" : "▼ −"}${lab.digits(Math.abs(change))}`;
  };

  const counter_name = ({ name, explanation }) => (explanation ? element("span", { title: explanation }, name) : name);

  const counter_row = (with_book) => (counter) =>
    element(
      "tr",
      { className: differs(counter) ? "ct-lab-differs" : "" },
      element("th", { scope: "row" }, counter_name(counter), counter.metric ? element("code", { className: "ct-ncu" }, ...with_breaks(counter.metric)) : null),
      element("td", {}, lab.digits(counter.value)),
      with_book ? element("td", {}, has_committed(counter) ? lab.digits(counter.committed) : "–") : null,
      with_book ? element("td", {}, difference(counter)) : null,
    );

  const counter_rows = (counters, with_book, caption) =>
    element(
      "table",
      { className: "ct-lab-counters" },
      element("caption", {}, caption),
      element("thead", {}, element("tr", {}, ...["counter", "here", with_book && "in the book", with_book && "difference"].filter(Boolean).map((words) => element("th", { scope: "col" }, words)))),
      element("tbody", {}, ...counters.map(counter_row(with_book))),
    );

  /// The counters, those that are zero here and in the book behind a fold.
  lab.counter_table = (counters) => {
    if (!counters?.length) return [];
    const with_book = counters.some(has_committed);
    const is_shown = (counter) => counter.value !== 0 || differs(counter);
    const [shown, zero] = [counters.filter(is_shown), counters.filter((counter) => !is_shown(counter))];
    const changed = counters.filter(differs).length;
    const caption = !with_book
      ? "Counters of this launch"
      : changed === 0
        ? "Counters: the same as those of the kernel in the book"
        : `Counters: ${plural(changed, "differs", "differ")} from those of the kernel in the book`;
    const scroll = (table) => element("div", { className: "ct-scroll", tabIndex: 0 }, table);
    return [
      shown.length > 0 ? scroll(counter_rows(shown, with_book, caption)) : null,
      zero.length > 0 ? element("details", { className: "ct-fold" }, element("summary", {}, plural(zero.length, "counter is", "counters are"), " zero"), scroll(counter_rows(zero, with_book, "Counters that are zero"))) : null,
    ];
  };

  // Why it is slow ---------------------------------------------------------------------------------------------------

  /// What takes more than it has to, the worst first; nothing where nothing does.
  lab.advice_list = ({ advice, sites }, jump, step) => {
    if (!advice?.length) return null;
    const worst = (line) => sites?.find((site) => site.line === line && site.worst)?.worst;
    const line = /^line (\d+): /;
    const item = (told) => {
      const words = told.line > 0 ? told.message.replace(line, "") : told.message;
      const place = told.line > 0 ? lab.button(`line ${told.line}`, () => jump(told.line), { className: "ct-lab-jump" }) : null;
      const chapter = element("a", { href: `${lab.root()}${told.page}.html` }, told.chapter);
      return element("li", { className: "ct-lab-message" }, element("p", {}, place, " ", step_button(step, told.line > 0 ? { line: told.line, ...worst(told.line) } : null, `line ${told.line}`), " ", ...lab.with_code(words), " (chapter ", chapter, ")."));
    };
    return element("div", {}, element("p", {}, element("strong", {}, "Why is it slow?")), element("ol", { className: "ct-lab-messages" }, ...advice.map(item)));
  };

  /// One digit behind the point, half of one to the even side: as the sentences above the table have it.
  const tenths = (number) => {
    const [scaled, whole] = [10 * number, Math.floor(10 * number)];
    return ((scaled - whole === 0.5 ? whole + (whole % 2) : Math.round(scaled)) / 10).toFixed(1);
  };

  const each = (number, requests) => (number > 0 && requests > 0 ? tenths(number / requests) : "");

  /// The line that a row is of, which leads there.
  const line_head = ({ line, ptx_line, worst }, jump, step) =>
    element(
      "th",
      { scope: "row" },
      line > 0 ? lab.button(String(line), () => jump(line), { className: "ct-lab-jump", "aria-label": `line ${line}` }) : `PTX ${ptx_line}`,
      " ",
      step_button(step, line > 0 ? { line, ...worst } : null, `line ${line}`),
    );

  const site_row = (site, jump, step) =>
    element(
      "tr",
      {},
      line_head(site, jump, step),
      element("td", { className: "ct-words" }, `${site.space} ${site.operation}${site.array ? ` of ${site.array}` : ""}`),
      element("td", {}, lab.digits(site.requests)),
      element("td", {}, each(site.sectors, site.requests)),
      element("td", {}, each(site.fewest_sectors, site.requests)),
      element("td", {}, each(site.wavefronts, site.requests)),
      element("td", {}, each(site.fewest_wavefronts, site.requests)),
      element("td", {}, site.share > 0 ? `${(100 * site.share).toFixed(1)} %` : ""),
    );

  const branch_row = (branch, jump, step) =>
    element(
      "tr",
      {},
      line_head(branch, jump, step),
      element("td", {}, branch.lanes_active.toFixed(1)),
      element("td", {}, `${(100 * branch.share).toFixed(1)} %`),
      element("td", {}, branch.branches > 0 ? `${((100 * branch.split) / branch.branches).toFixed(0)} %` : ""),
    );

  const by_line = (caption, columns, rows) =>
    element(
      "div",
      { className: "ct-scroll", tabIndex: 0 },
      element(
        "table",
        { className: "ct-lab-counters" },
        element("caption", {}, caption),
        element("thead", {}, element("tr", {}, ...columns.map((words) => element("th", { scope: "col" }, words)))),
        element("tbody", {}, ...rows),
      ),
    );

  /// The accesses and the branches by line, behind a fold.
  lab.line_tables = (answer, jump, step) => {
    const sites = (answer.sites ?? []).filter(({ requests }) => requests > 0);
    const branches = answer.branches ?? [];
    if (sites.length + branches.length === 0) return null;
    const columns = ["line", "access", "requests", "sectors each", "fewest", "wavefronts each", "fewest", "share"];
    return element(
      "details",
      { className: "ct-fold" },
      element("summary", {}, "Memory and branches by line"),
      sites.length > 0 ? by_line("Accesses by line: what each request takes, and the fewest that could serve its lanes", columns, sites.map((site) => site_row(site, jump, step))) : null,
      branches.length > 0 ? by_line("Lines that only some lanes of a warp execute", ["line", "lanes active of 32", "share of instructions", "warps that part"], branches.map((branch) => branch_row(branch, jump, step))) : null,
    );
  };

  // Pictures ---------------------------------------------------------------------------------------------------------

  const harmless = (node) =>
    /^(svg|g|defs|title|desc|text|tspan|rect|path|line|circle|ellipse|polyline|polygon|clipPath|pattern|marker|use|linearGradient|stop|style)$/.test(node.localName) &&
    node.namespaceURI === "http://www.w3.org/2000/svg" &&
    [...node.attributes].every(({ name, value }) => !/^on/i.test(name) && (!/href$/i.test(name) || value.startsWith("#")) && !/url\(\s*["']?(?!#)|javascript:/i.test(value)) &&
    (node.localName !== "style" || !/@import|url\(/i.test(node.textContent));

  /// The element of a picture's text; nothing where it is no picture, or one that could act.
  lab.picture = (svg) => {
    const root = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
    if (root.localName !== "svg" || ![root, ...root.querySelectorAll("*")].every(harmless)) return null;
    return document.importNode(root, true);
  };

  /// What stands in a picture beside single numbers, for those who do not see it.
  const words_of = (svg) => {
    const texts = [...svg.querySelectorAll("text")].map((text) => text.textContent.trim());
    return texts.filter((text) => /\p{L}/u.test(text)).join(". ");
  };

  const figure = (lab.figure = (picture) => {
    const [wide, narrow] = [picture.svg, picture.narrow ?? null].map((svg) => svg && lab.picture(svg));
    if (!wide) return element("p", {}, "This picture could not be drawn.");
    for (const svg of [wide, narrow]) svg?.setAttribute("aria-label", words_of(wide));
    return element(
      "figure",
      { className: "ct-figure ct-lab-figure" },
      element("div", { className: "ct-wide" }, wide),
      narrow ? element("div", { className: "ct-narrow", hidden: true }, narrow) : null,
      picture.alt ? element("figcaption", {}, picture.alt) : null,
    );
  });

  /// The picture that was looked at last: the next run shows that one first.
  let looked_at = "";

  /// What the title of the picture says that shows what the first counter counts that differs.
  const telling = (counters) => {
    const kinds = (counters ?? []).filter(differs).map(({ name }) => /^(global|shared) (load|store) (sectors|wavefronts)/.exec(name));
    const [, space, access] = kinds.find(Boolean) ?? [];
    return space ? `${access} ${access === "load" ? "from" : "to"} ${space} memory` : null;
  };

  /// The pictures, each behind its tab: radio buttons, as the outputs of several devices.
  lab.picture_tabs = (pictures, counters) => {
    if (!pictures?.length) return null;
    const group = lab.new_id();
    const told = telling(counters);
    const is_wanted = ({ title }) => (looked_at === "" ? told !== null && title.includes(told) : title === looked_at);
    const first = Math.max(0, pictures.findIndex(is_wanted));
    const tabs = pictures.flatMap((picture, at) => {
      const id = `${group}-${at}`;
      return [
        element("input", { type: "radio", name: group, id, checked: at === first, onchange: () => (looked_at = picture.title) }),
        element("label", { for: id }, picture.title ?? picture.name),
        element("div", { className: "ct-outputs" }, figure(picture)),
      ];
    });
    return element("div", { className: "ct-runs", role: "radiogroup", "aria-label": "Pictures of this launch" }, ...tabs);
  };

  // The whole --------------------------------------------------------------------------------------------------------

  const printed = (text) => element("pre", { className: "ct-output", tabIndex: 0 }, text.trimEnd());

  const verdict = (answer) => {
    if (answer.error) return [`✗ ${HEADS[answer.error.kind] ?? HEADS.request}`, "ct-wrong", answer.error.message];
    const [found, warned] = [answer.findings?.length ?? 0, answer.compiled?.warnings?.length ?? 0];
    const also = [found > 0 && plural(found, "finding", "findings"), warned > 0 && plural(warned, "warning", "warnings")].filter(Boolean);
    const after = also.length > 0 ? `, ${also.join(", ")}` : "";
    if (answer.mismatch) return [`✗ The result is wrong${after}`, "ct-wrong", answer.mismatch.text];
    if (answer.verified) return [`${found > 0 ? "✗" : "✓"} The result is verified bit by bit${after}`, found > 0 ? "ct-wrong" : "ct-right", ""];
    if (found > 0) return [`✗ The kernel did something wrong${after}`, "ct-wrong", ""];
    if (answer.entries) return ["Which kernel?", "ct-wrong", `The text holds ${answer.entries.map((name) => lab.readable(name, answer.entries)).join(", ")}. Choose one:`];
    if (answer.checked === false) return [`– It ran to its end${after}; races and the like were not looked for`, "", ""];
    return answer.verified === false ? ["✗ It is not right", "ct-wrong", answer.text] : [`✓ It ran, with no finding${after}`, "ct-right", ""];
  };

  /// What changed, in a line: who edits looks for that first.
  const changes = (counters) => {
    const changed = (counters ?? []).filter(differs);
    if (changed.length === 0) return "";
    const named = changed.slice(0, MOST_NAMED).map((counter) => `${counter.name} ${difference(counter)}`);
    return `${plural(changed.length, "counter differs", "counters differ")} from the book's: ${[...named, ...(changed.length > MOST_NAMED ? ["…"] : [])].join(", ")}`;
  };
  const MOST_NAMED = 3;

  const HEADS = {
    source: "It does not compile",
    kernel: "The kernel did something wrong",
    unsupported: "The laboratory cannot do this yet: that is its gap, not the kernel's",
    limit: "It was ended at a limit",
    request: "It cannot be run so",
  };

  /// Eight to a line, on a telephone four, each line behind the place of its first.
  const rows = (values) => {
    const many = matchMedia("(max-width: 40rem)").matches ? 4 : 8;
    const digits = String(values.length - 1).length;
    const lines = [];
    for (let at = 0; at < values.length; at += many) lines.push(`${String(at).padStart(digits)}: ${values.slice(at, at + many).join(", ")}`);
    return lines.join("\n");
  };

  const values = (buffer) => {
    const shown = printed(rows(buffer.values));
    const bits = lab.check("hexadecimal", false);
    bits.input.addEventListener("change", () => (shown.textContent = rows(bits.input.checked ? buffer.bits : buffer.values)));
    const length = buffer.length > buffer.values.length ? `, the first ${buffer.values.length}` : "";
    const is_changed = typeof buffer.first_change === "number";
    const beyond = buffer.first_change >= buffer.values.length ? ` from element ${lab.digits(buffer.first_change)} on` : "";
    const is_same = buffer.first_change === null;
    const change = is_changed ? `: changed${beyond}` : is_same ? ": not changed" : "";
    const is_named = buffer.name && !buffer.name.startsWith("argument ");
    const name = is_named ? element("code", {}, buffer.name) : null;
    const summary = element("summary", {}, name, name ? ", " : null, `argument ${buffer.argument}, `, element("code", {}, `${buffer.type}[${buffer.length}]`), length, change);
    return element("details", { className: "ct-fold", open: !is_same }, summary, bits.element, shown);
  };

  const said = (text) => (text ? element("div", {}, element("p", {}, "The kernel printed:"), printed(text)) : null);

  /// A sentence for who cannot see the result.
  lab.summary = (answer) => {
    const [head] = verdict(answer);
    const changed = (answer.counters ?? []).filter(differs).length;
    return `${head.replace(/^[✓✗] /, "")}.${changed > 0 ? ` ${plural(changed, "counter differs", "counters differ")} from the book's.` : ""}`;
  };

  /// All that an answer to `run` or `launch` shows; `steps` is what `lab.stepping` gives, where it can be stepped through.
  lab.result = (answer, jump, steps = null) => {
    const step = steps?.step ?? null;
    const [head, name, more] = verdict(answer);
    const said_by_list = answer.error?.diagnostics?.length > 0;
    const is_uncounted = answer.counted === false ? "It was stopped there, so nothing is counted." : "";
    const words = [said_by_list ? "" : more, is_uncounted, changes(answer.counters)].join("\n");
    const parts = [
      element("div", { className: `ct-lab-verdict ${name}` }, element("p", { className: "ct-verdict-head" }, head), ...lab.paragraphs(words)),
      lab.message_list(lab.messages(answer), jump, step),
      answer.error ? null : steps?.element,
      answer.error ? null : lab.advice_list(answer, jump, step),
      said(answer.printed),
      ...(answer.buffers ?? []).map(values),
      lab.picture_tabs(answer.pictures, answer.counters),
      answer.error ? null : lab.line_tables(answer, jump, step),
      ...lab.counter_table(answer.counters),
    ];
    if (answer.instructions > 0) parts.push(element("p", { className: "ct-note" }, `${plural(answer.instructions, "instruction of a warp", "instructions of warps")}, counted by the emulator in this page.`));
    return parts.filter(Boolean);
  };

  /// What is said where there is no answer.
  lab.failure = (error) => element("div", { className: "ct-lab-verdict ct-wrong" }, element("p", { className: "ct-verdict-head" }, error.kind ? error.message : `The laboratory failed: ${error.message}`));
})(window.cornerturn_lab);
