/** The time left of the session, or of the viewer's link if that expires first. */
const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
/** Below this, seconds are shown. */
const shortMs = 10 * minuteMs
const warnedAtMs = [5 * minuteMs, minuteMs]
/** How long the bar says that the session was extended. */
const extendedShownMs = 20 * secondMs
/** Two deadlines that differ by less than this count as the same. */
const sameWithinMs = 5 * secondMs

const badge = document.querySelector('#time-left')
/** Read by screen readers; reading the countdown itself would be disturbing. */
const said = document.querySelector('#time-said')

export class TimeLeft {
  #sessionEndsAt
  #linkEndsAt
  #isShown = false
  #wasLeftMs = Infinity
  #extendedUntil = 0

  constructor() {
    setInterval(() => this.#show(), secondMs)
  }

  use(view) {
    this.#isShown = view !== undefined
    this.#show()
  }

  /** A deadline of null means no limit. */
  tell({ session_ms: sessionMs, link_ms: linkMs }) {
    const before = this.#sessionEndsAt
    this.#sessionEndsAt = Date.now() + (sessionMs ?? Infinity)
    this.#linkEndsAt = Date.now() + (linkMs ?? Infinity)
    if (this.#sessionEndsAt > before + sameWithinMs) this.#extended()
    this.#wasLeftMs = Infinity
    this.#show()
  }

  #extended() {
    this.#extendedUntil = Date.now() + extendedShownMs
    const isEndless = this.#sessionEndsAt === Infinity
    const until = isEndless ? 'has no time limit now' : `ends at ${clock(this.#sessionEndsAt)} now`
    said.textContent = `The session was extended; it ${until}.`
  }

  #show() {
    const endsAt = Math.min(this.#sessionEndsAt ?? Infinity, this.#linkEndsAt ?? Infinity)
    const leftMs = Math.max(0, endsAt - Date.now())
    const isExtended = Date.now() < this.#extendedUntil
    badge.hidden = !this.#isShown || (leftMs === Infinity && !isExtended)
    if (badge.hidden) return
    const ofLink = this.#linkEndsAt < this.#sessionEndsAt
    const left = leftMs === Infinity ? 'no time limit' : `${duration(leftMs)} left`
    badge.textContent = `${isExtended ? 'Extended: ' : ofLink ? 'Your link: ' : ''}${left}`
    badge.title = `${ofLink ? 'Your link' : 'The session'} ends at ${clock(endsAt)}.`
    badge.dataset.urgent = String(leftMs <= warnedAtMs.at(-1))
    this.#warn(leftMs, ofLink)
  }

  #warn(leftMs, ofLink) {
    const passed = warnedAtMs.find((at) => leftMs <= at && this.#wasLeftMs > at)
    const isNew = this.#wasLeftMs !== Infinity
    this.#wasLeftMs = leftMs
    if (passed === undefined || !isNew) return
    const minutes = passed === minuteMs ? '1 minute' : `${passed / minuteMs} minutes`
    said.textContent = `${ofLink ? 'Your link' : 'The session'} ends in ${minutes}.`
  }
}

function clock(at) {
  if (at === Infinity) return 'no set time'
  return new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
}

function duration(ms) {
  const hours = Math.floor(ms / hourMs)
  const minutes = Math.floor((ms % hourMs) / minuteMs)
  if (hours > 0) return `${hours} h ${minutes} min`
  if (ms >= shortMs) return `${minutes} min`
  const seconds = Math.floor((ms % minuteMs) / secondMs)
  return `${minutes}:${String(seconds).padStart(2, '0')}`
}
