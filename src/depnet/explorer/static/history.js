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
