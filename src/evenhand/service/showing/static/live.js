// An audit moves: the server sends the part of the page that changed, drawn. Nothing is computed here.
const place = document.getElementById("live");
const said = document.getElementById("said");
const note = document.getElementById("liveness");

const put = (html) => {
  // What was opened stays open, and who stands somewhere with the keyboard stays there.
  const open = [...place.querySelectorAll("details[open]")].map((fold) => fold.id);
  const focused = place.contains(document.activeElement) ? document.activeElement.id : "";
  place.innerHTML = html;
  open.forEach((id) => { const fold = document.getElementById(id); if (fold) fold.open = true; });
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
};

if (place.dataset.from) {
  const source = new EventSource(place.dataset.from);
  source.addEventListener("open", () => { note.textContent = "This page moves by itself."; });
  source.addEventListener("audit", (event) => {
    const { html, said: words, over } = JSON.parse(event.data);
    put(html);
    // Spoken only when the answer itself is another.
    if (said.textContent !== words) said.textContent = words;
    if (over) {
      source.close();
      note.textContent = "The audit is over.";
    }
  });
  source.addEventListener("error", () => {
    note.textContent = source.readyState === EventSource.CLOSED
      ? "This page no longer moves by itself; load it again."
      : "Waiting for the server.";
  });
}
