/* What the theme and Sphinx leave without a name or a role, for those who do not see the page. */
document.addEventListener("DOMContentLoaded", () => {
  for (const toggle of document.querySelectorAll("nav summary")) {
    const page = toggle.closest("li")?.querySelector("a");
    toggle.setAttribute("aria-label", `Pages of ${page ? page.textContent.trim() : "this part"}`);
  }
  for (const paper of document.querySelectorAll(".citation-list > .citation")) {
    paper.setAttribute("role", "listitem");
  }
  for (const parameter of document.querySelectorAll("dt.sig dl, dt.sig dl > dd")) {
    parameter.setAttribute("role", "none"); // the parameters of a signature are laid out as a list without terms
  }
  // Printed tables that are wider than the page are moved sideways, by keyboard, too.
  const reach = () => {
    for (const table of document.querySelectorAll(".cell_output table")) {
      if (table.scrollWidth > table.clientWidth) table.tabIndex = 0;
      else table.removeAttribute("tabindex");
    }
  };
  reach();
  window.addEventListener("resize", reach);
});
