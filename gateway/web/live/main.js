/**
 * The live view: asks for the session's state, connects, shows the picture, and reconnects after
 * any failure, until the session has ended or the link has expired.
 */
import { stateUrl } from './address.js'
import { Clipboard } from './clipboard.js'
import { Desktop } from './desktop.js'
import { Link } from './link.js'
import { showMode, showState, showViewers } from './notice.js'
import { Page } from './page.js'
import { Question } from './question.js'
import { Tools } from './tools.js'

const retryMs = 500
const retryMaxMs = 10_000
const askWithinMs = 10_000
/** From dialling to the first picture; then the view starts over. */
const shownWithinMs = 10_000
const over = ['ending', 'completed', 'failed', 'lost']

const stage = document.querySelector('#stage')
const tools = new Tools(stage)
const clipboard = new Clipboard(stage)
const question = new Question()

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
  let wasShown = false
  const onShown = (canvas) => {
    wasShown = true
    label(canvas)
    showState('connected')
    // In a frame of the console, the focus stays where the person is.
    if (parent === window) picture.focus()
  }
  const heard = (message) => {
    if (message.type === 'hello') {
      const { mode } = message
      const Picture = message.picture === 'desktop' ? Desktop : Page
      showMode(mode)
      picture = new Picture(stage, link, { mode, fit: tools.fit, onShown })
      tools.use(picture, mode)
      clipboard.use(mode === 'control' ? link : undefined, picture)
      question.use(link)
    } else if (message.type === 'viewers') {
      showViewers(message.count)
    } else if (message.type === 'question') {
      question.show(message.question)
    } else if (message.type === 'screen') {
      picture?.resized(message)
    }
  }
  const link = new Link(heard)
  const late = setTimeout(() => wasShown || link.close(), shownWithinMs)
  await link.closed
  clearTimeout(late)
  picture?.close()
  tools.use(undefined, document.body.dataset.mode)
  clipboard.use(undefined)
  question.use(undefined)
  return wasShown
}

function label(canvas) {
  const isOurs = document.body.dataset.mode === 'control'
  canvas.tabIndex = 0
  canvas.setAttribute('role', isOurs ? 'application' : 'img')
  canvas.setAttribute('aria-label', isOurs ? 'The session, live' : 'The session, live, view only')
  if (isOurs) canvas.setAttribute('aria-describedby', 'way-out')
}

/** Waits `ms`, or until the network is back, the tab becomes visible, or the user clicks retry. */
function pause(ms) {
  return new Promise((resolve) => {
    const done = new AbortController()
    const { signal } = done
    const end = () => {
      done.abort()
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(end, ms)
    addEventListener('online', end, { signal })
    document.addEventListener('visibilitychange', () => document.hidden || end(), { signal })
    document.querySelector('#retry').addEventListener('click', end, { signal })
  })
}

async function live() {
  for (let failures = 0; ; failures++) {
    const state = await askState()
    if (state?.status === 'denied') return showState('denied')
    if (over.includes(state?.status)) return showState('ended', state.why)
    if (state?.status === 'running' && (await watch())) failures = 0
    else if (state?.status === 'starting') showState('starting')
    if (state?.status !== 'starting') showState('reconnecting')
    const waitMs = Math.min(retryMaxMs, retryMs * 2 ** failures)
    await pause(waitMs * (0.5 + Math.random() / 2))
  }
}

showState('connecting')
await live()
