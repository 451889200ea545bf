/**
 * Keeps a page current from the event stream that `data-feed` names. The service renders the
 * changes; this script only inserts them. Events: `parts`: elements by id, replaced as a whole.
 * `rows`: rows of a table by id, their order, and counts. `items`: new elements at the top of a
 * list. `over`: the page has to be reloaded, for example because the sign-in has ended.
 */
import { offerCopies } from '../shared/copying.js'
import { showLocalTimes } from './local-times.js'

const retryMs = 5_000
/** How long a page with a message about an action is shown at least, before it is reloaded. */
const messageShownMs = 10_000

export function followFeed() {
  const sign = document.querySelector('[data-feed]')
  if (!sign) return
  let source
  const connect = () => {
    source = new EventSource(sign.dataset.feed)
    source.addEventListener('open', () => tell(sign, true))
    source.addEventListener('error', () => {
      tell(sign, false)
      // The browser does not reconnect after an answer that is not an event stream.
      if (source.readyState === EventSource.CLOSED) setTimeout(connect, retryMs)
    })
    source.addEventListener('parts', ({ data }) => putParts(JSON.parse(data)))
    source.addEventListener('rows', ({ data }) => putRows(JSON.parse(data)))
    source.addEventListener('items', ({ data }) => putItems(JSON.parse(data)))
    source.addEventListener('over', () => {
      source.close()
      // Not `reload`, which would submit the form of the page again. A message about an action is
      // shown once, but long enough to be read: a new session changes its state just after its page
      // has loaded.
      const here = new URL(location.href)
      if (performance.now() > messageShownMs) here.searchParams.delete('told')
      location.replace(here.pathname + here.search)
    })
  }
  connect()
  // A page in the back-forward cache must not hold a stream.
  addEventListener('pagehide', () => source.close())
  addEventListener('pageshow', ({ persisted }) => persisted && connect())
}

function tell(sign, isLive) {
  sign.classList.toggle('is-live', isLive)
  sign.textContent = isLive ? 'Live' : 'Not live. Trying to reconnect…'
}

function putParts(parts) {
  for (const [id, html] of Object.entries(parts)) {
    const old = document.getElementById(id)
    const fresh = made(html)
    // An unchanged form is not replaced, so that what somebody has typed into it stays.
    if (old && !old.isEqualNode(fresh)) swap(old, fresh)
  }
}

/** `items` are oldest first, so the last one ends up at the top. */
function putItems({ into, items, most }) {
  const list = document.getElementById(into)
  if (!list) return
  for (const [id, html] of Object.entries(items)) {
    const old = document.getElementById(id)
    const fresh = made(html)
    if (!old) list.prepend(fresh)
    else if (!old.isEqualNode(fresh)) swap(old, fresh)
  }
  while (list.children.length > most) list.lastElementChild.remove()
}

function putRows({ into, order, rows, counts }) {
  const body = document.querySelector(`#${into} tbody`)
  if (!body) return
  for (const [id, html] of Object.entries(rows)) {
    const old = document.getElementById(id)
    const fresh = made(`<table><tbody>${html}</tbody></table>`).querySelector('tr')
    // Somebody is answering a question in this row, so it is not replaced.
    if (old?.querySelector(':popover-open')) continue
    if (old) swap(old, fresh)
    else body.append(fresh)
  }
  if (order) arrange(body, order)
  for (const [name, count] of Object.entries(counts ?? {})) {
    const place = document.querySelector(`[data-count="${name}"]`)
    if (place) place.textContent = count
  }
}

function arrange(body, order) {
  const wanted = new Set(order)
  for (const row of [...body.rows]) if (!wanted.has(row.id)) row.remove()
  order.forEach((id, n) => {
    const row = document.getElementById(id)
    if (row && body.rows[n] !== row) body.insertBefore(row, body.rows[n] ?? null)
  })
}

/** Keeps the focus, and pictures that are already loaded. */
function swap(old, fresh) {
  const focused = old.contains(document.activeElement) ? document.activeElement : undefined
  const reachable = (root) => [...root.querySelectorAll('a, button, input, select, textarea')]
  const place = focused && reachable(old).indexOf(focused)
  for (const picture of fresh.querySelectorAll('[data-glance]')) {
    const shown = old.querySelector(`[data-glance="${picture.dataset.glance}"]`)
    if (shown && shown.dataset.once === picture.dataset.once) picture.replaceWith(shown)
  }
  for (const title of fresh.querySelectorAll('[data-page-of]')) {
    const shown = old.querySelector(`[data-page-of="${title.dataset.pageOf}"]`)
    if (shown) title.replaceWith(shown)
  }
  old.replaceWith(fresh)
  offerCopies(fresh)
  if (focused) reachable(fresh)[place]?.focus()
}

/** Safe because the service escapes every value that it renders. */
function made(html) {
  const template = document.createElement('template')
  template.innerHTML = html
  const fresh = template.content.firstElementChild
  showLocalTimes(fresh)
  return fresh
}
