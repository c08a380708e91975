// What draws lies compressed in the page: a library and the pictures; a page without pictures has neither.
const unpacked = async (id) => {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
};
const opened = async () => {
  if (!document.getElementById("library")) return {};
  const script = document.createElement("script");
  script.textContent = `(() => { "use strict"; ${await unpacked("library")}\n})()`;
  document.head.append(script);
  return JSON.parse(await unpacked("pictures"));
};
const pictures = opened();

// Draws each picture once its place has a width: at once, or when the folded part around it is opened.
const draw = async (place) => {
  if (place.dataset.drawn || place.closest("details:not([open])")) return;
  place.dataset.drawn = "yes";
  const { specification } = (await pictures)[place.dataset.chart];
  await window.vegaEmbed(place, specification, { mode: "vega-lite", renderer: "svg", actions: false });
  // The place has the picture in words; its marks one by one are no reading.
  place.querySelector("svg").setAttribute("aria-hidden", "true");
};
const drawAll = () => Promise.all([...document.querySelectorAll("[data-chart]")].map(draw));
drawAll();
document.querySelectorAll("details").forEach((fold) => fold.addEventListener("toggle", drawAll));

// A link may lead to what is folded.
const unfold = () => {
  const raw = location.hash.slice(1);
  if (!raw) return;
  const target = document.getElementById(raw);
  if (!target) return;
  let folded = false;
  for (let fold = target.closest("details:not([open])"); fold; fold = fold.parentElement.closest("details:not([open])")) {
    fold.open = true;
    folded = true;
  }
  if (target.matches("tr")) target.hidden = false;
  if (folded) target.scrollIntoView();
};
addEventListener("hashchange", unfold);
document.addEventListener("click", (event) => { if (event.target.closest("a[href^='#']")) setTimeout(unfold); });
document.querySelectorAll(".menu a").forEach((link) => link.addEventListener("click", () => { document.querySelector(".menu").open = false; }));
unfold();

// A row of people opens everything that was found about them.
document.querySelectorAll(".opens").forEach((button) => button.addEventListener("click", () => {
  const row = document.getElementById(button.getAttribute("aria-controls"));
  row.hidden = !row.hidden;
  button.setAttribute("aria-expanded", String(!row.hidden));
}));

// The list of every finding: searched by all that stands in a row, sorted by numbers where there are any.
const list = document.querySelector(".every");
if (list) {
  const body = list.tBodies[0];
  const rows = [...body.rows];
  // An id ends like its parts do, so that a part of it can be searched for as a whole.
  const texts = rows.map((row) => `${row.textContent} ${row.querySelector("code").textContent}/`.toLowerCase());
  const found = document.getElementById("found");
  const search = document.getElementById("search");
  search.addEventListener("input", () => {
    const words = [...search.value.toLowerCase().matchAll(/"([^"]+)"|\S+/g)].map(([whole, phrase]) => phrase ?? whole);
    rows.forEach((row, place) => { row.hidden = !words.every((word) => texts[place].includes(word)); });
    found.textContent = words.length ? `${rows.filter((row) => !row.hidden).length} of ${rows.length}` : "";
  });
  document.querySelectorAll("[data-search]").forEach((link) => link.addEventListener("click", () => {
    search.value = link.dataset.search;
    search.dispatchEvent(new Event("input"));
  }));
  // The first number of a cell, where its column has numbers; null where it has none.
  const key = (row, column) => {
    const text = row.cells[column].textContent.trim();
    if (!list.tHead.rows[0].cells[column].matches(".number")) return text;
    const number = text.replaceAll(",", "").replace("−", "-").match(/-?[\d.]+/);
    return number ? Number(number[0]) : null;
  };
  const compare = (a, b) => (typeof a === "number" ? a - b : a.localeCompare(b));
  [...list.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      [...head.parentElement.cells].forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const keyed = rows.map((row) => [key(row, column), row]);
      // What has no number is last, whichever way.
      keyed.sort(([a], [b]) => (a === null || b === null ? (a === null) - (b === null) : (up ? 1 : -1) * compare(a, b)));
      body.append(...keyed.map(([, row]) => row));
    });
  });
}

// A picture and its data as files, made here: nothing is asked of anybody.
const save = (name, type, text) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};
const asFile = (drawn) => {
  const copy = drawn.cloneNode(true);
  const colours = getComputedStyle(document.documentElement);
  const plain = (text) => text.replace(/var\((--[\w-]+)\)/g, (_, name) => colours.getPropertyValue(name).trim());
  [copy, ...copy.querySelectorAll("*")].forEach((element) => {
    [...element.attributes].filter((one) => one.value.includes("var(--")).forEach((one) => { one.value = plain(one.value); });
  });
  copy.removeAttribute("aria-hidden");
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.style.background = plain("var(--paper)");
  return new XMLSerializer().serializeToString(copy);
};
document.querySelectorAll("[data-save]").forEach((button) => {
  button.parentElement.hidden = false;
  const { save: kind, number, name } = button.dataset;
  button.addEventListener("click", async () => {
    if (kind === "csv") save(`${name}.csv`, "text/csv", `\ufeff${(await pictures)[number].data}`);
    else save(`${name}.svg`, "image/svg+xml", asFile(document.querySelector(`[data-chart="${number}"] svg`)));
  });
});

// Paper cannot be unfolded: what is folded is printed where that was asked for, here or by ?print=all.
const all = document.getElementById("print-all");
const unfoldAll = () => {
  document.querySelectorAll("main details").forEach((fold) => { fold.open = all.checked; });
  return drawAll();
};
all.addEventListener("change", unfoldAll);
document.getElementById("print").addEventListener("click", async () => { await drawAll(); print(); });
if (new URLSearchParams(location.search).get("print") === "all") {
  all.checked = true;
  unfoldAll();
}
