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
    f: () => find("input[aria-label='Find a column'], input[type='search']")?.focus(),
    u: () => history.back(),
    "?": () => find(".depnet-help")?.click(),
  };
  if (!(event.key in keys)) return;
  event.preventDefault();
  keys[event.key]();
});
// A link to a view of this page is in the history at once, so that Back, too, leads from there. NiceGUI would push its address
// once the view is built and drawn: who goes back before would leave the view before the last one, and be pushed forward.
const pathOf = (address) => new URL(address, location).pathname.replace(/\/$/, "");
document.documentElement.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='/']");
  if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  if (link.target === "_blank" || link.hasAttribute("download")) return;
  const views = [...document.querySelectorAll(".depnet-tab")].map((tab) => pathOf(tab.href));
  const address = new URL(link.getAttribute("href"), location);
  const path = pathOf(address);
  if (!views.some((view) => path === view || (view !== views[0] && path.startsWith(`${view}/`)))) return;
  event.preventDefault();
  event.stopPropagation();
  if (address.href !== location.href) history.pushState(null, "", address);
  dispatchEvent(new Event("pushstate"));
});
// An address that comes from the server when the reader has left its view is not the present one's.
window.depnetAddress = (address, push) => {
  if (pathOf(address) === pathOf(location)) history[push ? "pushState" : "replaceState"](null, "", address);
};
