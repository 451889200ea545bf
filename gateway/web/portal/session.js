/** Warns before a session ends (`data-warn-ms`), and offers to stay signed in. */
export function watchSession() {
  const box = document.getElementById('stay')
  if (!box) return
  const endsMs = Number(box.dataset.endsMs)
  const warnMs = Number(box.dataset.warnMs)
  setTimeout(() => (box.hidden = false), Math.max(0, endsMs - warnMs))
  // The server has ended the session by then: reloading leads to the page that says why.
  setTimeout(() => location.replace(location.pathname + location.search), endsMs + 1_000)
}
