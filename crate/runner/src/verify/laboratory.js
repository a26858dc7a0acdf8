// Done on pages by `cornerturn verify laboratory`, by clicking as a reader does: an expression that takes the name of a
// part and what it is given. A part fails with a sentence, or gives what was seen.
async (part, given) => {
  const LIMIT_MS = 30_000;
  const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
  const must = (what, holds) => {
    if (!holds) throw new Error(`${part}: it does not hold that ${what}`);
  };
  const wait = async (what, look) => {
    const end = performance.now() + LIMIT_MS;
    for (;;) {
      const seen = look();
      if (seen) return seen;
      if (performance.now() > end) throw new Error(`${part}: ${what} did not come; it says: ${(panel() ?? document.querySelector("[data-laboratory]"))?.innerText.slice(-600)}`);
      await sleep(20);
    }
  };

  const panel = () => document.querySelector(".ct-lab");
  const button = (words, around = panel()) => [...(around?.querySelectorAll("button") ?? [])].find((one) => one.textContent.trim() === words && one.checkVisibility());
  const click = async (words, around) => (await wait(`the button ${words}`, () => button(words, around))).click();
  const place = (kind, id) => document.querySelector(`.ct-runnable[data-${kind}="${id}"]`);
  const area = () => panel()?.querySelector(".ct-lab-text");
  const write = (text) => {
    area().value = text;
    area().dispatchEvent(new Event("input"));
  };
  const verdict = () => panel()?.querySelector(".ct-lab-verdict");
  const is_busy = (words) => button(words)?.getAttribute("aria-disabled") === "true";
  const run = async (words = "Run") => {
    panel().querySelector(".ct-lab-result").replaceChildren();
    await click(words);
    return wait("a verdict", () => !is_busy(words) && verdict());
  };
  const is_narrow_enough = () => must("the page is no wider than the window", document.documentElement.scrollWidth <= document.documentElement.clientWidth + 1);
  const findings = () => [...panel().querySelectorAll(".ct-lab-message.ct-lab-finding")];
  const is_right = (shown) => must(`the verdict is right: ${shown.innerText}`, shown.matches(".ct-right") && /verified bit by bit/.test(shown.innerText));

  const parts = {
    /// Runs a kernel, breaks it, reads the finding, mends it; then one that does not compile.
    async breaks_and_mends({ id }) {
      const start = performance.now();
      await click("Run", place("kernel", id));
      const first = await wait("a verdict", () => !is_busy("Run") && verdict());
      const first_ms = performance.now() - start;
      is_right(first);
      must("counters stand in a table, none unlike the book's", panel().querySelectorAll(".ct-lab-counters tbody tr").length > 4 && !panel().querySelector(".ct-lab-differs"));
      const pictures = [...panel().querySelectorAll(".ct-lab-figure svg")];
      must("pictures are shown", pictures.some((svg) => svg.getBoundingClientRect().width > 100));
      must("what the launch moved is drawn", pictures.some((svg) => /between L1 and the memory behind it/.test(svg.textContent)));
      must("nothing in a picture can act", pictures.every((svg) => !svg.querySelector("script, foreignObject")));
      is_narrow_enough();

      await click("Edit");
      const source = area().value;
      write(source.replace("__syncthreads();", ""));
      await run();
      const race = findings().find((found) => /race/.test(found.innerText));
      must(`without its barrier it has a race: ${panel().innerText.slice(-400)}`, race && verdict().matches(".ct-wrong"));
      must("its line is marked beside the editor", panel().querySelector(".ct-lab-number.ct-lab-finding"));
      const leads = race.querySelector(".ct-lab-jump");
      leads.click();
      const line = Number(leads.textContent.replace(/\D/g, ""));
      must("the line's number leads into the editor", document.activeElement === area() && area().value.slice(0, area().selectionStart).split("\n").length === line);
      is_narrow_enough();

      area().dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
      must("Escape leaves the editor", document.activeElement === button("Run"));

      write(source);
      is_right(await run());
      must("it has no finding any more", findings().length === 0);

      write(source.replace("[32 + 1]", "[32]"));
      is_right(await run());
      must(`what changed is named beside the verdict: ${verdict().innerText}`, /shared load bank conflicts ▲/.test(verdict().innerText));
      const pictured = () => panel().querySelector(".ct-runs > input:checked + label")?.innerText;
      must(`and the picture that shows it comes first: ${pictured()}`, /^line \d+: the worst load from shared memory, block /.test(pictured()));
      const advice = panel().querySelector("ol.ct-lab-messages")?.innerText;
      must(`why it is slow is said: ${advice}`, /^line \d+(?: step)? lanes 128 bytes apart share banks of shared memory.*wavefronts where 1 would do/.test(advice) && /chapter Bank conflicts/.test(advice));
      must("each access stands in a table by line", /shared load/.test(panel().querySelector(".ct-fold .ct-lab-counters")?.textContent));
      must("the verdict is in view", verdict().getBoundingClientRect().top < innerHeight);

      write(source.replace("columns + column]", "columns + column + 1]"));
      await run();
      must(`what was stopped is not counted: ${verdict().innerText}`, /nothing is counted/.test(verdict().innerText) && !panel().querySelector(".ct-lab-counters"));

      write(source.replace("threadIdx.x", "threadidx.x"));
      await run();
      const error = panel().querySelector(".ct-lab-message.ct-lab-error");
      must(`what does not compile is said with its line: ${panel().innerText.slice(-400)}`, /threadidx/.test(error?.innerText) && /line \d/.test(error.innerText));

      const text = panel().querySelector(".ct-lab-colours");
      must("the editor shows all lines", Math.abs(text.clientHeight - area().clientHeight) <= 1 && [text, area()].every((one) => one.scrollHeight <= one.clientHeight + 1));

      await click("Reset");
      must("Reset gives the book's source", area().value === source);
      return { first_ms };
    },

    /// Opens the steps of a run, goes forward and back, and to where a line meets one bank.
    async steps({ id }) {
      await click("Edit", place("kernel", id));
      const source = (await wait("the editor", area)).value;
      write(source.replace("[32 + 1]", "[32]"));
      is_right(await run());
      const loads = () => [...document.head.querySelectorAll("script[src]")].some((one) => /lab\/steps\.js$/.test(one.src));
      must("the player is loaded only when it is opened", !loads());
      await click("Step through it");
      const player = () => panel().querySelector(".ct-steps");
      const lanes = () => [...player().querySelectorAll(".ct-steps-lanes > li")];
      await wait("the lanes", () => player() && lanes().length === 32);
      must("the player is loaded then", loads());
      const key = (name) => player().dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true }));
      const heard = () => player().querySelector("[role=status]").textContent;
      const body = () => player().querySelector(".ct-steps-body").innerText;
      const moved = async (name, from) => {
        key(name);
        return wait(`another step by ${name}`, () => player().getAttribute("aria-busy") === "false" && heard() !== from && heard());
      };
      const first = await wait("the first step in words", () => /^Step 1\b/.test(heard()) && heard());
      const shown = body();
      const second = await moved("ArrowRight", first);
      must(`the second step is another: ${second}`, /^Step 2\b/.test(second) && body() !== shown);
      await moved("ArrowLeft", second);
      must("back is where it was", heard() === first && body() === shown);
      const barrier = await moved("PageDown", first);
      must(`a barrier is told with who waits: ${barrier}`, /comes? to barrier 0/.test(barrier) && /at barrier 0; /.test(barrier));
      is_narrow_enough();

      const advice = panel().querySelector("ol.ct-lab-messages");
      button("step", advice).click();
      const conflict = await wait("the step of the sentence on what is slow", () => /-way bank conflict/.test(body()) && body());
      must(`its lanes are marked: ${conflict}`, lanes().some((lane) => /bank \d+ ×/.test(lane.innerText)));
      const line = Number(button("step", advice).getAttribute("aria-label").replace(/\D/g, ""));
      must("its line is marked", Number(/^▸ *(\d+)/.exec(player().querySelector("[aria-current=step]").innerText)[1]) === line);
      must("its banks are drawn", player().querySelector(".ct-lab-figure svg"));
      is_narrow_enough();
      await click("Close the steps");
      must("the steps are closed", !player() && document.activeElement === button("Step through it"));
      return {};
    },

    /// Stops a kernel that does not end, while the page goes on.
    async stops({ id }) {
      await click("Edit", place("kernel", id));
      const source = (await wait("the editor", area)).value;
      write(source.replace("__syncthreads();", "for (unsigned i = 1; i != 0; i += 2) __syncthreads();"));
      panel().querySelector(".ct-lab-result").replaceChildren();
      await click("Run");
      let turns = 0;
      for (const end = performance.now() + 1000; performance.now() < end; turns++) await sleep(10);
      must("a kernel that does not end still runs after a second", is_busy("Run"));
      must(`the page goes on beside it: ${turns} turns in a second`, turns > 30);
      await click("Stop");
      await wait("the word Stopped", () => /Stopped/.test(verdict()?.innerText) && !is_busy("Run"));
      write(`// An edit.\n${source}`);
      is_right(await run());
      await click("Close");
      must("Close takes the panel away", !panel());
      await click("Run", place("kernel", id));
      await wait("the edit that was there", () => area()?.value.startsWith("// An edit."));
      return {};
    },

    /// Gives the link to an edit.
    async links({ id }) {
      await click("Edit", place("kernel", id));
      const source = (await wait("the editor", area)).value;
      write(`// From a link: <img src=x onerror="window.hacked=1">\n${source}`);
      await click("Copy link");
      return { fragment: await wait("the link in the address", () => location.hash.startsWith("#lab=") && location.hash) };
    },

    /// The page of such a link.
    async opens_link() {
      await wait("the edit of the link", () => /^\/\/ From a link: <img/.test(area()?.value));
      await sleep(300);
      must("nothing has run", !verdict() && !is_busy("Run"));
      must("the edit was placed as text", !window.hacked && !document.querySelector("main img[src=x]"));
      is_right(await run());
      return {};
    },

    /// Links that a stranger may send.
    async refuses_links({ id }) {
      const packed = async (text) => {
        const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
        const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
        return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
      };
      const hostile = [
        "#lab=",
        "#lab=,",
        `#lab=${id},%%%`,
        `#lab=${id},AAAA`,
        `#lab=${id},${"A".repeat(100_000)}`,
        `#lab=${id},${await packed(`{"source":"${"a".repeat(20_000_000)}"}`)}`,
        `#lab=${id},${await packed("[1,2]")}`,
        `#lab=${id},${await packed("null")}`,
        `#lab=${id},${await packed('{"source":')}`,
        `#lab=${id},${await packed("{}")},more`,
        "#lab=<img src=x onerror=window.hacked=1>,AAAA",
        "#lab=../../secret,AAAA",
        "#lab=no_such_kernel,",
        "#lab=__proto__,",
      ];
      for (const fragment of hostile) {
        location.hash = fragment;
        const notice = await wait(`a sentence on ${fragment.slice(0, 60)}`, () => document.querySelector(".ct-lab-notice"));
        must(`${fragment.slice(0, 60)} is refused: ${notice.innerText}`, /Nothing of it was opened|nothing of it was opened/.test(notice.innerText) && !panel());
        notice.querySelector("button").click();
      }
      const words = '</textarea></pre><img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
      location.hash = `#lab=${id},${await packed(JSON.stringify({ source: words, sizes: { rows: 1e99, "<b>": 1 }, block: ["x"], element: "<b>", more: words }))}`;
      await wait("an editor with it", () => area()?.value === words);
      await run();
      must("hostile words stay words", !window.hacked && !document.querySelector("main img[src=x], .ct-lab script"));
      return {};
    },

    /// Fails an exercise, takes a hint, passes it, and exports that.
    async passes({ id, solution }) {
      await click("Solve it here", place("exercise", id));
      await wait("the editor", area);
      await run("Check");
      must(`the starter does not pass: ${verdict().innerText}`, verdict().matches(".ct-starter"));
      panel().querySelector(".ct-lab-result").replaceChildren();
      await click("Hint 1 of 3");
      await wait("a hint", () => panel().querySelector(".ct-hint"));
      write(solution);
      await run("Check");
      must(`the solution passes: ${verdict().innerText}`, verdict().matches(".ct-right"));
      must("the solution can be opened", /The solution/.test(panel().innerText));
      is_narrow_enough();
      return {};
    },

    /// After that page was loaded again, or in another browser after an import.
    async keeps({ id, solution }) {
      must("it is told what was passed", /passed in this browser/.test(place("exercise", id).innerText));
      await click("Solve it here", place("exercise", id));
      must("the answer is kept", (await wait("the editor", area)).value === solution);
      return {};
    },

    /// As a browser that was never here.
    async forgets() {
      localStorage.clear();
      return {};
    },

    /// Imports files that are none, and then one.
    async imports({ file }) {
      const line = document.querySelector("[data-laboratory=progress]");
      const input = await wait("the file's field", () => line.querySelector("input[type=file]"));
      const give = async (text, expected) => {
        const given = new DataTransfer();
        given.items.add(new File([text], "progress.json", { type: "application/json" }));
        input.files = given.files;
        input.dispatchEvent(new Event("change"));
        await wait(`${expected} for ${text.slice(0, 40)}`, () => expected.test(line.innerText));
      };
      await give("[", /the file is damaged/);
      await give('{"schema": 2}', /the file is of schema 2/);
      await give(`{"schema": 1, "exercises": {"padding": {"answer": [${"[".repeat(2000)}`, /the file is damaged/);
      await give("a".repeat(5_000_000), /too large/);
      await give(file, /The file has 2 passed/);
      return {};
    },

    /// Answers an exercise that asks for numbers, wrongly.
    async predicts({ id }) {
      await click("Solve it here", place("exercise", id));
      const fields = await wait("fields for numbers", () => panel()?.querySelectorAll(".ct-lab-question input"));
      for (const field of fields) field.value = "1";
      await run("Check");
      must(`a wrong number does not pass: ${verdict().innerText}`, verdict().matches(".ct-wrong") && /you answered 1/.test(verdict().innerText));
      return {};
    },

    /// Exports what was passed; gives the file's text.
    async exports() {
      let saved = null;
      const make = URL.createObjectURL;
      URL.createObjectURL = (blob) => {
        if (blob.type === "application/json") saved = blob;
        return make.call(URL, blob);
      };
      await click("Export", document.querySelector("[data-laboratory=progress]"));
      await wait("the file", () => saved);
      URL.createObjectURL = make;
      return { file: await saved.text() };
    },

    /// Runs the example of the playground, and again without its barrier.
    async plays() {
      await wait("the editor", area);
      await run();
      must(`the example has no finding: ${verdict().innerText}`, verdict().matches(".ct-right") && findings().length === 0);
      must(`its values are shown: ${panel().innerText.slice(-900)}`, /argument 1/.test(panel().innerText) && /255,? 254,? 253/.test(panel().innerText));
      write(area().value.replace("__syncthreads();", ""));
      await run();
      must("without its barrier it has a race", findings().some((found) => /race/.test(found.innerText)));
      is_narrow_enough();

      const given = panel().querySelector(".ct-lab-arguments");
      write("template <typename T, int SIZE> __global__ void scale(T* x) {\n  x[threadIdx.x % SIZE] = SIZE;\n}\nint main() { scale<double, 32><<<1, 32>>>(nullptr); }\n");
      await run();
      must(`arguments of another kernel are replaced: ${panel().innerText.slice(-900)}`, /that fit scale<double, 32> were filled in/.test(panel().innerText) && given.value === "f32[32]=iota" && /Taken from the program's launch: grid 1, block 32/.test(panel().innerText));
      write('#include <stdio.h>\n__global__ void k(const float* x, float* y, int n) {\n  if (threadIdx.x < n) y[threadIdx.x] = 2 * x[threadIdx.x];\n  if (threadIdx.x == 3) printf("<img src=x onerror=window.hacked=1>%d\\n", n);\n}\nint main() { std::vector<float> v(32); k<<<1, 32>>>(v.data(), v.data(), 32); }\n');
      given.value = "u32=1";
      await run();
      must(`what does not fit is said with the parameters: ${verdict().innerText}`, /n, a number of type int/.test(verdict().innerText));
      await click("Take arguments that fit, and run");
      await wait("a verdict without a finding", () => !is_busy("Run") && verdict()?.matches(".ct-right"));
      must(`what the host does is passed over and told: ${panel().innerText.slice(-900)}`, /main launches kernels/.test(panel().querySelector(".ct-lab-message.ct-lab-warning")?.innerText));
      must(`arguments that fit stand in the field: ${given.value}`, given.value === "f32[32]=iota\nf32[32]=zero\ni32=32");
      must("what the kernel printed is shown as it is", /thread \(3, 0, 0\): <img src=x onerror=window.hacked=1>32/.test(panel().innerText) && !window.hacked);
      const bits = panel().querySelector(".ct-lab-result input[type=checkbox]");
      bits.click();
      must("values are shown in hexadecimal digits", /0x40000000/.test(panel().innerText));
      given.value = "";
      await click("Suggest arguments");
      await wait("a suggestion", () => given.value.startsWith("f32[32]=iota"));
      await click("Reset");
      must("Reset gives the example", /void reverse/.test(area().value));
      await click("Undo reset");
      must("and a second click what was there", /void k\(/.test(area().value) && given.value.startsWith("f32[32]=iota"));

      const [given_arguments, too_much] = [panel().querySelector(".ct-lab-arguments"), "f32[4000000000]=zero"];
      given_arguments.value = `${too_much}\n${too_much}\ni32=1`;
      await run();
      must(`more memory than there is ends in a sentence: ${verdict().innerText}`, verdict().matches(".ct-wrong") && verdict().innerText.length > 40);
      given_arguments.value = "f32[10]=<img src=x onerror=window.hacked=1>";
      await run();
      must(`an argument that is none ends in a sentence: ${verdict().innerText}`, verdict().matches(".ct-wrong") && !window.hacked && !document.querySelector("main img[src=x]"));
      return {};
    },

    /// The playground, when somebody comes back to it.
    async finds_again() {
      await wait("the kernel that was written before", () => /void k\(/.test(area()?.value));
      must("and its arguments", /^f32\[10\]=<img/.test(panel().querySelector(".ct-lab-arguments").value) && !window.hacked);
      return {};
    },

    /// A page without WebAssembly is what it was.
    async is_absent({ id }) {
      must("there is no WebAssembly", typeof WebAssembly === "undefined");
      must("the kernel is shown", place("kernel", id).querySelector("pre").innerText.length > 100);
      must("there is no button of the laboratory", !document.querySelector(".ct-lab-open, .ct-lab"));
      return {};
    },

    /// What the first click on Run loads and what the first on Edit adds, in bytes as a server would send them.
    async measures({ id }) {
      const packed_bytes = async (url) => {
        const stream = (await fetch(url)).body.pipeThrough(new CompressionStream("gzip"));
        return (await new Response(stream).arrayBuffer()).byteLength;
      };
      const sum = async (urls) => (await Promise.all(urls.map(packed_bytes))).reduce((a, b) => a + b, 0);
      const loaded = () => [...document.head.querySelectorAll("script[src]")].map((one) => one.getAttribute("src")).filter((src) => /(^|\/)lab\//.test(src));
      const scripts = [...document.querySelectorAll('script[src*="laboratory"], link[href*="laboratory"][rel=stylesheet]')].map((one) => one.src ?? one.href);
      must(`the page has the laboratory's scripts and its style: ${scripts}`, scripts.length === 2);
      must("nothing of the laboratory is loaded before the first click", loaded().length === 0);
      await click("Run", place("kernel", id));
      is_right(await wait("a verdict", () => !is_busy("Run") && verdict()));
      const by_run = loaded();
      must(`an unedited kernel runs without the compiler: ${by_run}`, by_run.length === 3 && !by_run.some((src) => src.includes("compiler")));
      await click("Edit");
      const by_edit = await wait("the compiler", () => loaded().length > by_run.length && loaded().filter((src) => !by_run.includes(src)));
      must(`the editor brings the compiler alone: ${by_edit}`, by_edit.length === 1 && by_edit[0].includes("compiler"));
      return { script_bytes: await sum(scripts), run_bytes: await sum(by_run), edit_bytes: await sum(by_edit) };
    },
  };
  return parts[part](given);
}
