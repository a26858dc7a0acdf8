// Asked of each page by `cornerturn verify`: which figures are drawn, and what a reader could not see.
(async () => {
  await document.fonts.ready;
  await new Promise((done) => {
    requestAnimationFrame(() => requestAnimationFrame(done));
    setTimeout(done, 500);
  });
  const content = document.querySelector("main") ?? document.body;
  const problems = [];
  const marks = "path, rect, line, circle, ellipse, polyline, polygon, text, image, use";
  const visible = (element) => {
    const style = getComputedStyle(element);
    return style.visibility !== "hidden" && style.display !== "none" && Number(style.opacity) > 0;
  };
  const painted = (mark) => {
    const style = getComputedStyle(mark);
    const seen = (paint, opacity) => paint !== "none" && !/^rgba\(.*, 0\)$/.test(paint) && Number(opacity) > 0;
    return seen(style.fill, style.fillOpacity) || seen(style.stroke, style.strokeOpacity);
  };
  const named = (element) => {
    const figure = element.closest("figure");
    const words = figure?.querySelector("figcaption")?.textContent ?? element.querySelector?.("title, text")?.textContent;
    return words ? ` (${words.trim().slice(0, 60)})` : "";
  };

  const scroller = (element) => {
    for (let around = element.parentElement; around; around = around.parentElement) {
      if (/auto|scroll/.test(getComputedStyle(around).overflowX)) return around;
    }
    return null;
  };

  // How far the words of a figure stand out from what is behind them, as WCAG 2 counts contrast.
  const colour = (text) => {
    const parts = /^rgba?\(([^)]*)\)$/.exec(text)?.[1].split(/[ ,/]+/).map(Number);
    return parts && { rgb: parts.slice(0, 3), alpha: parts[3] ?? 1 };
  };
  const luminance = ({ rgb }) => {
    const linear = rgb.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  };
  const contrast = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const behind = (text, shapes) => {
    const box = text.getBoundingClientRect();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const before = shapes.filter((s) => /^(rect|path)$/.test(s.tagName) && s.compareDocumentPosition(text) & 4).reverse();
    for (const shape of before) {
      const style = getComputedStyle(shape);
      const [area, fill] = [shape.getBoundingClientRect(), colour(style.fill)];
      const isAround = area.left <= x && x <= area.right && area.top <= y && y <= area.bottom;
      const covers = isAround && (shape.tagName === "rect" || shape.isPointInFill(new DOMPoint(x, y).matrixTransform(shape.getScreenCTM().inverse())));
      if (covers && fill && fill.alpha * style.fillOpacity * style.opacity > 0.5) return fill;
    }
    for (let element = text; element; element = element.parentElement) {
      const fill = colour(getComputedStyle(element).backgroundColor);
      if (fill && fill.alpha > 0.5) return fill;
    }
    return { rgb: [255, 255, 255], alpha: 1 };
  };
  const faint = (text, shapes) => {
    const fill = colour(getComputedStyle(text).fill);
    return fill && text.textContent.trim() !== "" && contrast(fill, behind(text, shapes)) < 3;
  };

  const isTelephone = innerWidth <= 480;
  const isPaper = matchMedia("print").matches;
  const start = (element) => element.innerText.trim().replace(/\s+/g, " ").slice(0, 40);

  // What is folded is printed all the same.
  for (const fold of isPaper ? content.querySelectorAll(".ct-fold, details.ct-file") : []) {
    const code = fold.querySelector("pre");
    if (code && !code.checkVisibility()) problems.push(`“${start(fold)}” stays folded on paper`);
  }

  // Each answer to a question says whether it is right, one alone is, and one alone is open. On paper nobody answers.
  const says = (element, right, place) => {
    const words = element.innerText.trim();
    if (!element.checkVisibility() || !words.includes(right ? "Yes." : "No.")) problems.push(`${place} does not say ${right ? "Yes." : "No."}`);
  };
  const isRight = (answer) => answer.matches(".ct-right");
  for (const question of isPaper ? [] : content.querySelectorAll(".ct-question")) {
    const answers = [...question.querySelectorAll(".ct-choice, .ct-answer")];
    const rights = answers.filter(isRight).length;
    if (rights !== 1) problems.push(`${question.id} has ${rights} right answers`);
    const form = question.querySelector("form");
    for (const answer of answers) {
      const place = `${question.id}: “${start(answer)}”`;
      if (form) {
        const key = answer.dataset.key;
        form.querySelector("input").value = key === "else" ? "-987654321" : key;
        form.requestSubmit();
        says(form, isRight(answer), place);
      } else {
        answer.querySelector("summary").click();
        says(answer, isRight(answer), place);
        if (answers.filter((other) => other.open).length !== 1) problems.push(`${place} leaves another answer open`);
      }
    }
  }

  // Figures inside closed details are drawn when opened.
  for (const details of content.querySelectorAll("details")) details.open = true;

  // Outputs of several devices stand behind a choice: each is looked at in its turn.
  const choices = [...content.querySelectorAll(".ct-runs")].map((runs) => [...runs.querySelectorAll(":scope > input")]);
  const panel = (input) => input.nextElementSibling?.nextElementSibling;
  const choose = (number) => choices.forEach((inputs) => (inputs[Math.min(number, inputs.length - 1)].checked = true));
  const chosen = (element) => {
    const around = element.closest(".ct-runs > .ct-outputs");
    return !around || getComputedStyle(around).display !== "none";
  };
  for (const [i, inputs] of choices.entries()) {
    const checked = inputs.filter((input) => input.checked);
    if (checked.length !== 1) problems.push(`of the outputs ${i + 1} to choose from ${checked.length} are chosen`);
    const labels = inputs.map((input) => input.labels[0]?.innerText.trim());
    if (labels.includes("") || labels.includes(undefined)) problems.push(`an output to choose has no name in ${i + 1}`);
    if (new Set(labels).size < labels.length) problems.push(`two outputs to choose are both “${labels[0]}”`);
  }

  // A figure is there in two forms, for wide and for narrow places, and shows one.
  const isShown = (element) => element.getClientRects().length > 0;
  const isOtherForm = (svg) => {
    const form = svg.closest(".ct-wide, .ct-narrow");
    return form && !isShown(form) && [...form.parentElement.children].some((other) => other !== form && other.matches(".ct-wide, .ct-narrow") && isShown(other));
  };

  // Words that a figure's edge cuts, that an ellipsis shortens, or that a telephone shows too small.
  const lookAtWords = (svg, box, place) => {
    const words = [...svg.querySelectorAll("text")].filter((text) => text.textContent.trim() !== "");
    const beyond = words.filter((text) => {
      const { left, right, width } = text.getBoundingClientRect();
      return width > 0 && (left < box.left - 2 || right > box.right + 2);
    });
    const cut = beyond.concat(words.filter((text) => /\S{2,}.{6,}…$/.test(text.textContent.trim())));
    if (cut.length > 0) problems.push(`${place} has ${cut.length} cut words, first “${cut[0].textContent.trim()}”`);
    const size = (text) => parseFloat(getComputedStyle(text).fontSize) * (text.getScreenCTM()?.a ?? 1);
    const small = isTelephone ? words.filter((text) => size(text) < 10.95) : [];
    if (small.length > 0) {
      const px = Math.min(...small.map(size)).toFixed(1);
      problems.push(`${place} has ${small.length} words smaller than 11 px, the smallest ${px} px, first “${small[0].textContent.trim()}”`);
    }
  };

  // Where there is room for it, nothing scrolls in a box of its own; on paper nothing can.
  const blocks = "pre, pre > code, .ct-scroll, .ct-html, .ct-svg, .table-wrapper";
  const lookAtBlocks = () => {
    for (const block of content.querySelectorAll(blocks)) {
      if (!isShown(block) || !chosen(block)) continue;
      const [wide, tall] = [block.scrollWidth - block.clientWidth, block.scrollHeight - block.clientHeight];
      const hides = (overflow) => overflow !== "visible";
      const style = getComputedStyle(block);
      if ((innerWidth >= 1000 || isPaper) && wide > 1) problems.push(`a block is ${wide} px wider than its box: “${start(block)}”`);
      if ((innerWidth >= 1000 || isPaper) && tall > 1 && hides(style.overflowY)) problems.push(`a block hides ${tall} px of its height: “${start(block)}”`);
    }
  };

  // The first column says what a row is of; tables of outputs fit as a whole.
  const lookAtTables = () => {
    for (const table of isTelephone ? content.querySelectorAll("table") : []) {
      if (!isShown(table) || !chosen(table)) continue;
      const around = table.closest(".ct-scroll, .table-wrapper");
      const end = Math.min(innerWidth, around?.getBoundingClientRect().right ?? innerWidth);
      const first = [...table.rows].map((row) => row.cells[0]).filter((cell) => cell && isShown(cell));
      if (first.some((cell) => cell.getBoundingClientRect().right > end + 1)) problems.push(`the first column of a table is cut: “${start(table)}”`);
      else if (table.matches(".ct-table") && table.getBoundingClientRect().right > end + 1) problems.push(`a table is cut: “${start(table)}”`);
    }
  };

  const drawn = new Set();
  const lookAtFigures = () => {
    for (const [i, svg] of [...content.querySelectorAll("svg")].entries()) {
      if (svg.closest("button, a, .icon, .fa-svg, nav, #mdbook-menu-bar, svg svg") || !chosen(svg) || isOtherForm(svg)) continue;
      const box = svg.getBoundingClientRect();
      const place = `svg ${i + 1}${named(svg)}`;
      const shapes = [...svg.querySelectorAll(marks)].filter((mark) => !mark.closest("defs"));
      const live = shapes.filter((mark) => {
        const { width, height } = mark.getBoundingClientRect();
        return (width > 0 || height > 0) && visible(mark) && painted(mark);
      });
      if (box.width < 1 || box.height < 1) problems.push(`${place} has no area`);
      else if (!visible(svg)) problems.push(`${place} is hidden`);
      else if (shapes.length === 0) problems.push(`${place} is empty`);
      else if (live.length === 0) problems.push(`${place} has ${shapes.length} marks and none is painted`);
      else drawn.add(svg);
      const dim = shapes.filter((mark) => mark.tagName === "text" && faint(mark, shapes));
      if (dim.length > 0) problems.push(`${place} has ${dim.length} faint words, first “${dim[0].textContent.trim()}”`);
      const edge = scroller(svg)?.clientWidth ?? document.documentElement.clientWidth;
      if (box.width > edge + 1) problems.push(`${place} is cut off`);
      if (drawn.has(svg)) lookAtWords(svg, box, place);
    }
    for (const image of content.querySelectorAll("img")) {
      if (image.naturalWidth === 0) problems.push(`the image ${image.getAttribute("src")} is not drawn`);
      else drawn.add(image);
    }
    const sideways = document.documentElement.scrollWidth - document.documentElement.clientWidth;
    if (sideways > 1) problems.push(`the page is ${sideways} px wider than the window`);
  };
  const first = choices.map((inputs) => inputs.findIndex((input) => input.checked));
  for (let number = 0; number < Math.max(1, ...choices.map((inputs) => inputs.length)); number++) {
    choose(number);
    // What is chosen is made then.
    document.dispatchEvent(new Event("toggle"));
    for (const inputs of choices.filter((inputs) => number < inputs.length)) {
      const shown = panel(inputs[number]);
      const there = shown?.getClientRects().length && (shown.innerText.trim() || shown.querySelector("svg, img"));
      if (!there) problems.push(`output ${number + 1} of a choice shows nothing`);
    }
    lookAtFigures();
    lookAtBlocks();
    lookAtTables();
  }
  choices.forEach((inputs, i) => (inputs[Math.max(first[i], 0)].checked = true));
  for (const [i, figure] of [...content.querySelectorAll("figure")].entries()) {
    if (!figure.querySelector("svg, img, canvas, table, pre")) problems.push(`figure ${i + 1}${named(figure)} shows nothing`);
  }
  const words = content.cloneNode(true);
  for (const code of words.querySelectorAll("pre, code, script, style, noscript")) code.remove();
  if (/<\/?(svg|rect|text|path|polyline|table)\b/.test(words.textContent)) problems.push("the page shows markup as text");
  if (content.innerText.trim() === "") problems.push("the page has no text");
  return { drawn: drawn.size, problems: [...new Set(problems)] };
})()
