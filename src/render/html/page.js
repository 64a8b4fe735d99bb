"use strict";
const dressTable = (table) => {
  const body = table.tBodies[0];
  const value = (row, at) => row.cells[at].dataset.order ?? row.cells[at].textContent;
  const search = document.createElement("input");
  search.type = "search";
  search.placeholder = "Search";
  search.setAttribute("aria-label", "Search this table");
  search.addEventListener("input", () => {
    const words = search.value.toLowerCase().split(/\s+/);
    for (const row of body.rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
  });
  // Two rows are seen at a glance.
  if (body.rows.length > 2) table.parentElement.before(search);
  [...table.tHead.rows[0].cells].forEach((head, at) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const order = new Intl.Collator(undefined, { numeric: true });
      const rows = [...body.rows].sort((a, b) => order.compare(value(a, at), value(b, at)));
      body.append(...(down ? rows.reverse() : rows));
    });
  });
};
document.querySelectorAll("table").forEach(dressTable);
// A line is shown if it has all words of the search and its lane is not switched off.
const dressTimeline = (timeline) => {
  const entries = [...timeline.querySelectorAll("ol > li")];
  const off = new Set();
  const search = document.createElement("input");
  search.type = "search";
  search.placeholder = "Search";
  search.setAttribute("aria-label", "Search the timeline");
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/);
    for (const entry of entries) {
      const text = entry.textContent.toLowerCase();
      entry.hidden = off.has(entry.dataset.lane) || !words.every((word) => text.includes(word));
    }
  };
  search.addEventListener("input", filter);
  timeline.before(search);
  for (const item of timeline.querySelectorAll(".lanes > li")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = item.textContent;
    button.setAttribute("aria-pressed", "true");
    item.replaceChildren(button);
    button.addEventListener("click", () => {
      const { lane } = item.dataset;
      if (!off.delete(lane)) off.add(lane);
      button.setAttribute("aria-pressed", String(!off.has(lane)));
      filter();
    });
  }
};
document.querySelectorAll(".timeline").forEach(dressTimeline);
