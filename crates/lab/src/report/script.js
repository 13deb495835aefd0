"use strict";
// Tables that can be sorted: a button in each heading. Without this script they are as they were measured.
for (const table of document.querySelectorAll("table.sortable")) {
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = heading.textContent;
    heading.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = heading.getAttribute("aria-sort") === "ascending";
      const value = (row) => {
        const cell = row.cells[column];
        const text = cell.dataset.v ?? cell.textContent;
        const number = Number.parseFloat(text.replaceAll(",", ""));
        return Number.isNaN(number) ? text : number;
      };
      const order = (a, b) => {
        const [x, y] = [value(a), value(b)];
        if (typeof x === typeof y) return x < y ? -1 : x > y ? 1 : 0;
        return typeof x === "number" ? -1 : 1;
      };
      const body = table.tBodies[0];
      const rows = [...body.rows].sort(order);
      body.append(...(down ? rows.reverse() : rows));
      headings.forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", down ? "descending" : "ascending");
    });
  });
}
