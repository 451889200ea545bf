/** Keeps ages (`data-since`) and times left (`data-until`) current; both are wall-clock ms. */
const everyMs = 1_000

export function keepTicking() {
  // The clocks of this device and of the service may differ.
  const now = Number(document.querySelector('[data-now]')?.dataset.now) || Date.now()
  const aheadMs = Date.now() - now
  setInterval(() => {
    if (!document.hidden) tick(Date.now() - aheadMs)
  }, everyMs)
}

function tick(nowMs) {
  for (const part of document.querySelectorAll('[data-since], [data-until]')) {
    const { since, until } = part.dataset
    const text = shortSpan(since === undefined ? Number(until) - nowMs : nowMs - Number(since))
    if (part.textContent !== text) part.textContent = text
  }
}

/** For example `45 s`, `12 min`, `2 h 5 min` or `3 d 4 h`. */
function shortSpan(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  if (seconds < 60) return `${seconds} s`
  if (minutes < 60) return `${minutes} min`
  if (hours < 24) return `${hours} h ${minutes % 60} min`
  return `${Math.floor(hours / 24)} d ${hours % 24} h`
}
