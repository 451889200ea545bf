/**
 * The live view: asks for the session's state, connects, shows the picture, and reconnects after
 * any failure, until the session has ended or the link has expired.
 */
import { stateUrl } from './address.js'
import { tellSize } from './embedding.js'
import { Link } from './link.js'
import { showDenied, showEnd, showMode, showRetry, showState, showViewers } from './notice.js'
import { Desktop } from './picture/desktop.js'
import { forgetPicture, keepPicture } from './picture/last-picture.js'
import { Page } from './picture/page.js'
import { Clipboard } from './tools/clipboard.js'
import { EndSession } from './tools/end-session.js'
import { KeyboardState } from './tools/keyboard-state.js'
import { Question } from './tools/question.js'
import { Share } from './tools/share.js'
import { Tabs } from './tools/tabs.js'
import { TimeLeft } from './tools/time-left.js'
import { TouchKeys } from './tools/touch-keys.js'
import { ViewTools } from './tools/view-tools.js'

const retryMs = 500
const retryMaxMs = 10_000
const askWithinMs = 10_000
/** If no data of the first picture arrives for this long, the view reconnects. */
const pictureWithinMs = 10_000
const secondMs = 1_000
const over = ['ending', 'completed', 'failed', 'lost']
const withBrowser = ['running', 'unreachable']

const touchOnly = matchMedia('(hover: none) and (pointer: coarse)')
const stage = document.querySelector('#stage')
const tools = new ViewTools(stage)
const question = new Question()
const timeLeft = new TimeLeft()
/**
 * The tools that are available while the session is connected: each has `use`, which is called with
 * undefined after a disconnection. A gateway of an earlier version sends no `rights`, and accepts
 * only the messages of that version.
 */
const parts = [
  ...[tools, question, timeLeft, new Clipboard(stage), new KeyboardState(stage)],
  ...[new TouchKeys(), new Tabs(), new Share(), new EndSession()],
]
const useAll = (view) => parts.forEach((part) => part.use(view))

/** Undefined if the service does not answer, as after a network failure. */
async function askState() {
  try {
    const response = await fetch(stateUrl(), { signal: AbortSignal.timeout(askWithinMs) })
    if (response.status === 401 || response.status === 404) return { status: 'denied' }
    return response.ok ? (await response.json()).data : undefined
  } catch {
    return undefined
  }
}

/** Shows the session until the socket closes; resolves with true if a picture was shown. */
async function watch() {
  let picture
  let shown
  const onShown = (canvas) => {
    shown = canvas
    label(canvas)
    forgetPicture()
    takeKeyboard(picture)
    showState('connected')
    tellSize(canvas)
  }
  const heard = (message) => {
    if (message.type === 'hello') {
      const { mode, rights, recorded = false } = message
      const Picture = message.picture === 'desktop' ? Desktop : Page
      showMode(mode, recorded)
      picture = new Picture(stage, link, { mode, fit: tools.fit, onShown })
      useAll({ link, picture, mode, rights })
    } else if (message.type === 'viewers') {
      showViewers(message.count)
    } else if (message.type === 'question') {
      question.show(message.question)
    } else if (message.type === 'screen') {
      picture?.resized(message)
      tellSize(message)
    } else if (message.type === 'time') {
      timeLeft.tell(message)
    }
  }
  const link = new Link(heard)
  const waiting = setInterval(() => {
    if (!shown && link.pictureAgeMs > pictureWithinMs) link.close()
  }, secondMs)
  await link.closed
  clearInterval(waiting)
  picture?.close()
  if (shown) keepPicture(shown, { fit: tools.fit })
  useAll(undefined)
  return shown !== undefined
}

/**
 * Does not take the focus from somebody who uses another part of this page, for example a form, nor
 * on touch screens, where the row of keys and the on-screen keyboard are used. In a frame of the
 * console, the focus stays where it is.
 */
function takeKeyboard(picture) {
  const { activeElement, body } = document
  const isFree = activeElement === body || activeElement?.closest('#notice')
  if (isFree && parent === window && body.dataset.mode === 'control' && !touchOnly.matches)
    picture.focus()
}

function label(canvas) {
  const isOurs = document.body.dataset.mode === 'control'
  canvas.tabIndex = 0
  canvas.setAttribute('role', isOurs ? 'application' : 'img')
  canvas.setAttribute('aria-label', isOurs ? 'The session, live' : 'The session, live, view only')
  if (isOurs) canvas.setAttribute('aria-describedby', 'way-out')
}

/**
 * Waits `ms`, or until the network is back, the tab becomes visible, or the user clicks retry.
 * `count` is called with the seconds left.
 */
function pause(ms, count) {
  return new Promise((resolve) => {
    const done = new AbortController()
    const { signal } = done
    const endsAt = performance.now() + ms
    const tell = () => count?.((endsAt - performance.now()) / secondMs)
    const end = () => {
      done.abort()
      clearTimeout(timer)
      clearInterval(counting)
      resolve()
    }
    const timer = setTimeout(end, ms)
    const counting = setInterval(tell, secondMs)
    tell()
    addEventListener('online', end, { signal })
    document.addEventListener('visibilitychange', () => document.hidden || end(), { signal })
    document.querySelector('#retry').addEventListener('click', end, { signal })
  })
}

function whyNot(state) {
  if (!navigator.onLine) return 'This device is offline.'
  if (!state) return 'The service does not respond.'
  if (state.status === 'unreachable') return 'The host of the session has lost contact.'
  return 'The connection was lost. The session keeps running.'
}

async function live() {
  for (let failures = 0; ; failures++) {
    const state = await askState()
    if (state?.status === 'denied') {
      forgetPicture()
      return showDenied()
    }
    if (over.includes(state?.status)) return showEnd(state)
    if (withBrowser.includes(state?.status) && (await watch())) failures = 0
    const waitMs = Math.min(retryMaxMs, retryMs * 2 ** failures) * (0.5 + Math.random() / 2)
    if (state?.status === 'starting') {
      showState('starting')
      await pause(waitMs)
    } else {
      const why = whyNot(state)
      await pause(waitMs, (seconds) => showRetry(why, seconds))
    }
  }
}

showState('connecting')
await live()
