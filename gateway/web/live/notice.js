/**
 * The state of the view in words: one word in the bar, and a text over or instead of the picture.
 */
import { tellState } from './embedding.js'
import { endingOf } from './ending.js'

const notices = {
  connecting: { word: 'Connecting', text: 'Waiting for the first picture of the session.' },
  starting: {
    word: 'Starting',
    title: 'The session is starting',
    text: 'Its browser is not ready yet. The picture appears here as soon as it is.',
  },
  connected: { word: 'Live', text: '' },
  reconnecting: { word: 'Reconnecting', title: 'Trying to reconnect…' },
  ended: { word: 'Ended' },
  denied: {
    word: 'No access',
    text:
      'This link is not valid, has expired, was revoked, or works once and was opened by someone else. ' +
      'Ask the person who sent it to you for a new one.',
  },
}

const find = (id) => document.querySelector(`#${id}`)

function show(state, { title, text, advice = '', reason }) {
  const { word } = notices[state]
  if (document.body.dataset.state !== state || reason) tellState({ state, reason })
  if (document.body.dataset.state !== state) document.body.dataset.state = state
  find('status').textContent = word
  find('notice-title').textContent = title ?? word
  find('notice-text').textContent = text
  find('notice-advice').textContent = advice
  find('notice').hidden = state === 'connected'
  find('retry').hidden = state !== 'reconnecting'
  document.title = `${word} · Live view · Troupe`
  if (state !== 'connected') showViewers(0)
}

export function showState(state) {
  show(state, notices[state])
}

/** The link is no longer valid, so nothing of the session may stay on the page. */
export function showDenied() {
  show('denied', notices.denied)
  find('read-only').hidden = true
  find('recorded').hidden = true
  find('page-title').textContent = ''
}

/** `reason` is why the last attempt failed, `seconds` the time until the next one. */
export function showRetry(reason, seconds) {
  const { title } = notices.reconnecting
  const next = seconds < 1 ? 'Next attempt: now.' : `Next attempt in ${Math.ceil(seconds)} s.`
  show('reconnecting', { title, text: reason, advice: next })
}

/** `session` is the answer about its state. */
export function showEnd(session) {
  show('ended', { ...endingOf(session), reason: session.reason })
}

export function showViewers(count) {
  const badge = find('viewers')
  badge.hidden = count < 1
  badge.textContent = count === 1 ? '1 viewer' : `${count} viewers`
}

export function showMode(mode, isRecorded) {
  find('read-only').hidden = mode === 'control'
  find('recorded').hidden = !isRecorded
  document.body.dataset.mode = mode
}
