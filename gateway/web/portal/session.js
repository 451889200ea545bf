/** Says two minutes before a session ends that it will, and offers to stay. */
export function watchSession() {
  const box = document.getElementById('stay')
  if (!box) return
  const endsMs = Number(box.dataset.endsMs)
  const warnMs = Number(box.dataset.warnMs)
  setTimeout(() => (box.hidden = false), Math.max(0, endsMs - warnMs))
  // The server has ended it by then: the page goes where it is said why.
  setTimeout(() => location.replace(location.pathname + location.search), endsMs + 1_000)
}
