/**
 * Loads pictures of sessions, only for rows in view while the page itself is visible: one request at a
 * time, and each running session every few seconds; the last one of an ended session once.
 */
const everyMs = 4_000
const pauseMs = 250

export function lookAtSessions() {
  const seen = new Map()
  const watch = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) seen.delete(target)
      else if (!seen.has(target)) seen.set(target, 0)
    }
  })
  const known = new WeakSet()
  const find = () => {
    for (const picture of document.querySelectorAll('[data-glance]')) {
      if (known.has(picture)) continue
      known.add(picture)
      watch.observe(picture)
    }
  }
  find()
  // Rows are added and removed while the page is open.
  new MutationObserver(find).observe(document.body, { childList: true, subtree: true })
  void keepLooking(seen)
}

async function keepLooking(seen) {
  for (;;) {
    const due = document.hidden ? undefined : nextOf(seen)
    if (due) {
      seen.set(due, Date.now())
      await look(due)
    }
    await new Promise((resolve) => setTimeout(resolve, due ? 0 : pauseMs))
  }
}

/** The session whose picture is oldest. */
function nextOf(seen) {
  let next
  for (const [picture, at] of seen) {
    if (!picture.isConnected) seen.delete(picture)
    else if (isDue(picture, at) && (!next || at < seen.get(next))) next = picture
  }
  return next
}

const isDue = (picture, at) =>
  at === 0 || (picture.dataset.once === undefined && Date.now() - at >= everyMs)

async function look(picture) {
  try {
    const answer = await fetch(picture.dataset.glance)
    if (!answer.ok || !answer.headers.get('content-type')?.includes('json')) return
    const { pages, picture: image } = await answer.json()
    if (image) show(picture, image)
    const [front] = pages
    const title = picture.parentElement.querySelector('[data-page-of]')
    if (title && front) title.textContent = front.title || front.url
    if (title && front) title.title = front.url
  } catch {
    // The service does not answer, so the picture stays as it is.
  }
}

function show(picture, image) {
  const shown = picture.querySelector('img') ?? document.createElement('img')
  shown.alt = ''
  shown.src = image
  if (!shown.isConnected) picture.append(shown)
}
