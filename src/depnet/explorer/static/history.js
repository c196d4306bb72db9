// Enter in a box that is typed into chooses the first of what is offered, where the arrow keys have not chosen another.
addEventListener("keydown", (event) => {
  const offered = (event.key === "Enter" && event.target.closest(".q-select--with-input")) ? [...document.querySelectorAll(".q-menu .q-item")] : [];
  if (!event.isTrusted || !event.target.value || !offered.length || offered.some((one) => one.classList.contains("q-manual-focusable--focused"))) return;
  event.stopPropagation();
  event.preventDefault();
  offered[0].click();
}, true);
// A few keys, where nothing is being typed.
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, [contenteditable]")) return;
  const find = (what) => document.querySelector(what);
  const keys = {
    "/": () => find(".depnet-add input")?.focus(),
    f: () => find("input[aria-label='Find a variable'], input[type='search']")?.focus(),
    u: () => history.back(),
    "?": () => find(".depnet-help")?.click(),
  };
  if (!(event.key in keys)) return;
  event.preventDefault();
  keys[event.key]();
});
