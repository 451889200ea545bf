// Before a page is painted: the colours that were chosen in this browser. A classic script, so that the
// page waits for it; `theme-switch.js` has the choice.
try {
  document.documentElement.dataset.theme = localStorage.getItem('troupe-theme') ?? ''
} catch {
  // A browser that keeps nothing follows its system.
}
