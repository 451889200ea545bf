/** The state of the view in words: one word in the bar, and a text in place of the picture. */
const notices = {
  connecting: { word: 'Connecting', text: 'The picture is on its way.' },
  starting: { word: 'Starting', text: 'The browser of this session is being made ready.' },
  connected: { word: 'Live', text: '' },
  reconnecting: {
    word: 'Reconnecting',
    title: 'The connection was lost',
    text: 'It is tried again until it works.',
  },
  ended: { word: 'Ended', title: 'This session has ended' },
  denied: {
    word: 'No right',
    title: 'This link does not open a live view',
    text: 'It is wrong or too old. Ask the person who sent it for a new one.',
  },
}

const find = (id) => document.querySelector(`#${id}`)

export function showState(state, text = notices[state].text) {
  const { word, title = word } = notices[state]
  document.body.dataset.state = state
  find('status').textContent = word
  find('notice-title').textContent = title
  find('notice-text').textContent = text
  find('notice').hidden = state === 'connected'
  find('retry').hidden = state !== 'reconnecting'
  document.title = `${word} · Live view · Troupe`
  if (state !== 'connected') showViewers(0)
}

export function showViewers(count) {
  const badge = find('viewers')
  badge.hidden = count < 1
  badge.textContent = count === 1 ? '1 viewer' : `${count} viewers`
}

export function showMode(mode) {
  find('read-only').hidden = mode === 'control'
  document.body.dataset.mode = mode
}
