/**
 * Goal: drags end where they are meant to, selects are chosen from without opening anything, and
 * text is selected and aimed at by its words. Method: real Chromium on fixture pages; each page
 * records what was done to it.
 */
import t from 'tap'
import { at, openFixtures } from '../../helpers/browser/page-session.ts'

const { run, refusal, see, acted, open, click } = await openFixtures(t)

t.test('a drag goes by a distance, between offsets, and along a path', async (t) => {
  await open('places')
  await run('drag', { from: at('knob'), by: { dx: 130, dy: 0 } })
  t.same(await acted(), ['knob 130px'])
  await run('drag', {
    ...{ from: '#sheet', from_offset: [10, 20] },
    ...{ to: '#sheet', to_offset: [200, 150] },
  })
  const strokes = await see<string[]>('strokes.splice(0)')
  t.same([strokes[0], strokes.at(-1)], ['down 10,20', 'up 200,150'])
  t.ok(strokes.length >= 6, 'with motions on the way')
  const path = [
    [50, 10],
    [90, 120],
    [160, 30],
  ]
  await run('drag', { from: '#sheet', from_offset: [10, 10], path })
  const drawn = await see<string[]>('strokes.splice(0)')
  t.same([drawn[0], drawn.at(-1)], ['down 10,10', 'up 160,30'])
  const passed = path.map((point) => drawn.indexOf(point.join()))
  t.ok(
    passed.every((place, i) => place > (passed[i - 1] ?? 0)),
    `in order: ${drawn}`,
  )
  await run('drag', { from: '#sheet', from_offset: [10, 10], path, by: { dx: 1, dy: 1 } })
  t.equal((await see<string[]>('strokes')).at(-1), 'up 11,11')
})

t.test('a drag without an end, or with two, is refused', async (t) => {
  await open('places')
  for (const ends of [{}, { to: '#sheet', by: { dx: 1, dy: 1 } }]) {
    t.match(String(await run('drag', { from: '#knob', ...ends }).catch((error) => error)), /to/)
  }
})

t.test('a drag that something else received is reported', async (t) => {
  await open('places')
  await see(`document.body.insertAdjacentHTML('beforeend',
    '<div id=lid style="position:fixed;inset:0"></div>')`)
  const move = { from: '#sheet', from_offset: [5, 5], by: { dx: 9, dy: 9 } }
  t.match((await run('drag', move)).note, /The drag started on div#lid, not on #sheet/)
})

t.test('choosing in a select does not open the widget around it', async (t) => {
  await open('dressed')
  await run('select_option', { target: '#size', label: 'Large' })
  t.equal(await see('list.hidden'), true)
  await run('click', { target: '#next', timeout: 500 })
  t.same(await acted(), ['input Large', 'change Large', 'next'])
})

t.test('words are a target, and have places of their own', async (t) => {
  await open('words')
  await click('text "Products"')
  await click('text "Ann or"')
  await click('text "bob"')
  await click('text "today"')
  t.same(await acted(), ['products', 'Ann', 'Bob', 'today'])
  await run('hover', { target: 'text "inside a frame"' })
  t.match(await refusal('click', { target: 'text "Nowhere"', timeout: 100 }), {
    type: 'element_not_found',
  })
})

t.test('a search answers where the words are, also in a frame', async (t) => {
  await open('words')
  t.notOk('places' in (await run('find', { text: 'Bob' })), 'only if asked for')
  const placesOf = async (text: string) => (await run('find', { text, boxes: true })).places!
  for (const [word, text] of [
    ['Ann', 'Call Ann or '],
    ['bob', 'Bob'],
    ['today', ' today'],
  ]) {
    const [{ x, y, width, height } = { x: 0, y: 0, width: 0, height: 0 }] = await placesOf(word!)
    const caret = `document.caretRangeFromPoint(${x + width / 2}, ${y + height / 2})`
    t.equal(await see(`${caret}.startContainer.data`), text)
  }
  t.equal((await placesOf('the')).length, 1, 'what a textarea contains is its value')
  t.equal((await placesOf('o')).length > 5, true, 'each occurrence')
  const [inside] = await placesOf('inside a frame')
  const frame = await see<{ x: number; y: number; right: number; bottom: number }>(
    `document.querySelector('iframe').getBoundingClientRect().toJSON()`,
  )
  t.ok(inside!.x > frame.x && inside!.x + inside!.width < frame.right, JSON.stringify(inside))
  t.ok(inside!.y > frame.y && inside!.y + inside!.height < frame.bottom)
  await see(`document.body.style.paddingTop = '3000px'`)
  t.same(await placesOf('today'), [], 'nothing of it is in view')
})

const selection = () => see<string>('getSelection().toString()')

t.test('text of a page is selected by words, between words, and copied', async (t) => {
  await open('words')
  await run('select_text', { text: 'quick brown' })
  t.equal((await run('copy')).text, 'quick brown')
  await run('select_text', { target: '#text', from: 'fox', to: 'lazy' })
  t.equal((await selection()).replace(/\s+/g, ' '), 'fox jumps over the lazy')
  await run('select_text', { target: '#text', from: 4, to: 9 })
  t.equal(await selection(), 'quick')
  await run('select_text', { target: 'text "brown fox"' })
  t.equal(await selection(), 'brown fox')
  await run('select_text', { target: 'h1' })
  t.equal(await selection(), 'Words')
  await run('select_text', { text: 'inside a' })
  t.equal(await see('frames[0].getSelection().toString()'), 'inside a')
  t.match(await refusal('select_text', { text: 'nowhere' }), {
    type: 'bad_request',
    message: /has no text "nowhere"/,
  })
})

t.test('selected text of fields and editors is deleted, replaced, and made bold', async (t) => {
  await open('words')
  const value = () => see<string>('document.querySelector("#area").value')
  await run('select_text', { target: '#area', text: 'two ' })
  await run('press', { key: 'Delete' })
  t.equal(await value(), 'one three two four')
  await run('select_text', { from: 'three', to: 'two' })
  await run('press', { key: 'x' })
  t.equal(await value(), 'one x four', 'in the field that has the keyboard')
  await run('select_text', { target: '#area', from: 0, to: 3 })
  await run('press', { key: 'Backspace' })
  t.equal(await value(), ' x four')
  await run('select_text', { target: '#editor', text: 'see you' })
  await run('press', { key: 'Control+b' })
  t.match(
    await see('document.querySelector("#editor").innerHTML'),
    /Dear Ann, <b>see you<\/b> soon/,
  )
  await run('select_text', { target: '#mail' })
  await run('press', { key: 'Delete' })
  t.equal(await see('document.querySelector("#mail").value'), '')
  await run('type', { target: '#mail', text: 'ann@example.org' })
  t.match((await refusal('select_text', { target: '#mail', text: 'ann' })).message, /as a whole/)
})
