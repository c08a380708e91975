// Draws each picture once its place has a width: at once, or when the folded part around it is opened.
const draw = (place) => {
  if (place.dataset.drawn || place.closest("details:not([open])")) return;
  place.dataset.drawn = "yes";
  const specification = JSON.parse(document.getElementById(place.dataset.chart).textContent);
  const options = { mode: "vega-lite", renderer: "svg", actions: false };
  window.vegaEmbed(place, specification, options);
};
const drawAll = () => document.querySelectorAll("[data-chart]").forEach(draw);
drawAll();
document.querySelectorAll("details").forEach((fold) => fold.addEventListener("toggle", drawAll));

// Paper cannot be unfolded, so everything is open while printing.
let opened = [];
addEventListener("beforeprint", () => {
  opened = [...document.querySelectorAll("details:not([open])")];
  opened.forEach((fold) => { fold.open = true; });
  drawAll();
});
addEventListener("afterprint", () => opened.forEach((fold) => { fold.open = false; }));
