/**
 * Goal: an act says what received it: pages change when the pointer comes, and fields change what
 * is typed. Method: real Chromium on fixture pages that do; each page records what was done to it.
 */
import t from 'tap'
import { at, openFixtures } from '../../helpers/browser/page-session.ts'

const { run, refusal, see, acted, open, click } = await openFixtures(t)

t.test('a page that draws an element anew when the pointer comes gets its click', async (t) => {
  for (const kind of ['css', 'ref']) {
    const { changes } = await open('swaps')
    const ref = /(e\d+) [^\n]*42 %/.exec(changes)?.[1]
    const { note } = await click(kind === 'css' ? '.piece' : String(ref))
    t.equal(note, undefined, kind)
    t.same(await acted(), ['piece'], kind)
  }
})

t.test('what comes with the pointer is not pressed instead', async (t) => {
  await open('swaps')
  t.match(await refusal('click', { target: '#card span' }), {
    type: 'not_actionable',
    message: /disappeared under the pointer; button "Delete" is there now/,
    details: { why: 'gone' },
  })
  t.match(await refusal('click', { target: '#menu button', timeout: 300 }), {
    type: 'not_actionable',
    details: { why: 'covered', covered_by: 'div#cover' },
  })
  t.same(await acted(), [])
})

t.test('a page that hides motions of the pointer is looked at all the same', async (t) => {
  await open('swaps')
  await see(`addEventListener('mousemove', (event) => event.stopImmediatePropagation(), true)`)
  t.match(await refusal('click', { target: '#card span' }), {
    type: 'not_actionable',
    details: { why: 'gone' },
  })
  t.equal((await click('.piece')).note, undefined)
  t.same(await acted(), ['piece'])
})

t.test('a press that missed is repeated if nothing has come of it', async (t) => {
  await open('swaps')
  t.equal((await click(at('late'))).note, undefined)
  t.same(await acted(), ['late'])
  t.equal(await see('motions > 2 && shade.isConnected'), false, 'the first one missed')
})

t.test('a press that something else received is reported', async (t) => {
  await open('swaps')
  const { note } = await click(at('gone'))
  t.match(note, /The press landed on div#gone\.card, not on \[data-act="gone"\]/)
  t.same(await acted(), [])
})

t.test('a press into a frame is none that missed', async (t) => {
  await open('swaps')
  t.equal((await click('#frame')).note, undefined)
})

t.test('what moves for ever is clicked where it is, and it is told', async (t) => {
  await open('swaps')
  await see('travelForEver()')
  const { note } = await run('click', { target: '#orbit', timeout: 400 })
  t.match(note, /#orbit does not stop moving/)
  t.notMatch(note, /landed/)
  t.same(await acted(), ['orbit'])
})

t.test('a forced click goes through whatever is in the way, and says what it was', async (t) => {
  await open('swaps')
  await run('hover', { target: '#menu button' })
  const { note } = await run('click', { target: '#menu button', force: true })
  t.match(note, /The press landed on div#cover/)
  t.same(await acted(), ['cover'])
})

t.test('hovering says what has come over its target', async (t) => {
  await open('swaps')
  t.match((await run('hover', { target: '#menu button' })).note, /is now over div#cover/)
  t.match((await run('hover', { target: '#card span' })).note, /is now over button "Delete"/)
  t.equal((await run('hover', { target: '#gone button' })).note, undefined)
})

t.test('a page that is busy gets no more time than the caller gives', async (t) => {
  await open('swaps')
  await see(`setTimeout(() => {
    const until = Date.now() + 4_000
    while (Date.now() < until);
  }), 0`)
  const error = await refusal('click', { target: at('open'), timeout: 100 })
  t.match(error, { message: /busy/ })
  t.same(await acted(), [])
})

t.test('a page that says that nothing matches, and is busy then, has said so', async (t) => {
  await open('swaps')
  await see(`setTimeout(() => {
    const untilMs = performance.now() + 3_000
    while (performance.now() < untilMs);
  }, 600)`)
  const error = await refusal('click', { target: '#nothing', timeout: 1_500 })
  t.match(error, { type: 'element_not_found', message: /Nothing on the page matches #nothing/ })
})

t.test('a field that refuses or changes a text answers with its value', async (t) => {
  await open('stubborn')
  const note = async (target: string, text: string, more = {}) =>
    (await run('type', { target, text, ...more })).note
  t.equal(await note('#deaf', '7'), 'The value of #deaf is still "0".')
  for (const text of ['7', 'long enough to be inserted']) {
    t.equal(await note('#controlled', text), 'The value of #controlled is still "0".')
  }
  t.equal(await note('#loud', 'abc'), 'The value of #loud is now "ABC".')
  t.equal(await note('#short', '12345'), 'The value of #short is now "123".')
  const hidden = await note('#secret', '12345')
  t.match(hidden, /did not accept the text as typed/)
  t.notMatch(hidden, /123/)
  t.match(await note('#box-1', '12'), /is now "1"\. The focus is now in input#box-2/)
})

t.test('a field that takes a text says nothing about it', async (t) => {
  await open('stubborn')
  const note = async (target: string, text: string, more = {}) =>
    (await run('type', { target, text, ...more })).note
  for (const text of ['7', 'long enough to be inserted']) {
    t.equal(await note('#plain', text), undefined)
    t.equal(await note('#plain', text, { append: true }), undefined)
    t.equal(await note('#lines', `${text}\n${text}`), undefined)
    t.equal(await note('#editor', text), undefined)
    t.equal(await note('#editor', `\nand ${text}`, { append: true }), undefined)
  }
  t.equal(await note('#plain', 'two\nlines'), undefined)
  t.equal(await note('#plain', ''), undefined)
  t.equal(await note('#number', '12'), undefined)
  t.equal(await note('#range', '7'), undefined)
  t.match(await note('#range', '70'), /The value of #range is now "10"/)
})

t.test('a key that nothing received is told', async (t) => {
  await open('stubborn')
  t.match((await run('press', { key: 'a' })).note, /No element had the focus/)
  t.match((await run('press', { key: 'Enter' })).note, /so Enter went to the page/)
  t.equal((await run('press', { key: 'Control+a' })).note, undefined)
  await see(`addEventListener('keydown', (event) => event.key === 'b' && event.preventDefault())`)
  t.equal((await run('press', { key: 'b' })).note, undefined, 'a shortcut of the page')
  await click('#plain')
  t.equal((await run('press', { key: 'a' })).note, undefined)
})
