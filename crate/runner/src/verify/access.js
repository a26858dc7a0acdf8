// What axe-core says of the page that is open, as far as it is serious: one sentence a rule, with the first place.
async (options) => {
  // What is folded is looked at too; of answers to a question one alone can be open.
  for (const fold of document.querySelectorAll("main details:not([name])")) fold.open = true;
  // The words of figures are looked at elsewhere, for their contrast, and there are thousands of them.
  const { violations } = await axe.run({ exclude: [["main svg"]] }, { ...options, resultTypes: ["violations"] });
  const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  const said = ({ target, failureSummary }) => `${target.join(" ")}: ${failureSummary.split("\n").slice(1).join(" ").replace(/\s+/g, " ").trim()}`;
  return serious.map(({ id, nodes }) => `axe-core: ${id} in ${nodes.length} places, first ${said(nodes[0])}`);
}
