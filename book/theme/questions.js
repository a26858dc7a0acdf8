// The questions of a page, where scripts run: a number can be typed and is judged, and a line says how many were right at
// the first try. Without scripts every answer opens by itself, and the numbers stand behind a summary.
(() => {
  const questions = [...document.querySelectorAll(".ct-question")];
  if (questions.length === 0 || document.querySelectorAll("main").length !== 1) return;

  // The rule of `same_answer` in crate/basics: half a per cent is rounding.
  const same = (given, decided) => {
    const [a, b] = [given, decided].map((text) => (text.trim() === "" ? NaN : Number(text)));
    if (Number.isNaN(a) || Number.isNaN(b)) return given.trim() !== "" && given.trim().toLowerCase() === decided.toLowerCase();
    return Math.abs(a - b) <= 0.005 * Math.max(Math.abs(a), Math.abs(b));
  };

  // What was answered first, by question.
  const first = new Map();
  const score = document.createElement("p");
  score.className = "ct-score";
  score.setAttribute("role", "status");
  document.querySelector("main").append(score);
  const note = (question, right) => {
    if (first.has(question)) return;
    first.set(question, right);
    const rights = [...first.values()].filter(Boolean).length;
    score.textContent = `${first.size} of ${questions.length} answered, ${rights} right at the first try.`;
  };

  const choose = (question) => {
    for (const choice of question.querySelectorAll(".ct-choice")) {
      choice.addEventListener("toggle", () => choice.open && note(question, choice.classList.contains("ct-right")));
    }
  };

  const compute = (question) => {
    const form = question.querySelector("form");
    const [input, said] = [form.querySelector("input"), form.querySelector(".ct-said")];
    const answers = [...question.querySelectorAll(".ct-answer")];
    const otherwise = answers.find((answer) => answer.dataset.key === "else");
    const known = answers.filter((answer) => answer !== otherwise);
    form.hidden = false;
    // mdBook turns pages by the arrow keys.
    input.addEventListener("keydown", (event) => event.stopPropagation());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const given = input.value.replace(",", ".");
      if (given.trim() === "" || Number.isNaN(Number(given))) {
        said.textContent = "Type a number.";
        return;
      }
      const answer = known.find((answer) => same(given, answer.dataset.key)) ?? otherwise;
      const right = answer.classList.contains("ct-right");
      said.className = `ct-said ${right ? "ct-right" : "ct-wrong"}`;
      const parts = [...answer.children].filter((part) => !part.matches(".ct-number"));
      said.replaceChildren(...parts.map((part) => part.cloneNode(true)));
      note(question, right);
    });
  };

  for (const question of questions) (question.hasAttribute("data-computes") ? compute : choose)(question);
})();
