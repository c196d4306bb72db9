// Back and Forward within one view: the server shows the state that the address says.
window.addEventListener("popstate", () => window.emitEvent?.("depnet-went", location.search));
