/**
 * Goal: what an inner scroller has moved out of view stays in the snapshot and can be acted on, and
 * what is covered says by what. Method: fixture pages in real Chromium, without and with a display.
 */
import t from 'tap'
import { openPageReaders, withoutRefs } from '../../helpers/pages/page-readers.ts'

const scrollAll = `list.scrollTop = 1000, content.scrollTop = 2000, chat.scrollTop = -800,
  strip.scrollLeft = 2000`
/** The number at the end of each line or element with these words. */
const numbersOf = (text: string, words: string) =>
  [...text.matchAll(new RegExp(`${words} (\\d+)`, 'g'))].map(([, number]) => Number(number))
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1)

for (const { mode, run, open, evaluate, snapshot, find } of await openPageReaders(t)) {
  t.test(`${mode}: what left its scroller stays`, async (t) => {
    await open('inner-scrollers')
    const before = await snapshot(10_000)
    await evaluate(scrollAll)
    const text = await snapshot(10_000)
    t.same(withoutRefs(text), withoutRefs(before))
    t.same(numbersOf(text, 'Item'), upTo(60))
    t.same(numbersOf(text, 'Paragraph'), upTo(30))
    t.same(
      numbersOf(text, 'Message').sort((a, b) => a - b),
      upTo(40),
    )
    t.same(numbersOf(text, 'Card'), upTo(20))
    t.notMatch(text, 'Never shown')
    t.match(await find('Item 3'), 'button "Item 3"')
    const { changes } = await run('click', { target: 'button "Item 3"' })
    t.match(changes, /^~ e\d+ button "Item 3" focused$/, 'nothing but the focus')
    t.same(await evaluate('acted'), ['Item 3'])
  })

  t.test(`${mode}: what a scroller shows comes first, what it has passed is above`, async (t) => {
    await open('inner-scrollers')
    await evaluate(scrollAll)
    const [all, short] = [await snapshot(10_000), await snapshot(450)]
    t.match(short, /… \d+ more above, \d+ more below; use find or scroll$/)
    t.same(numbersOf(short, 'Item').slice(0, 15), upTo(40).slice(25))
    t.same(numbersOf(short, 'Paragraph'), [11, 12, 13])
    const above = Number(/(\d+) more above/.exec(short)?.[1])
    const out = numbersOf(all, 'Item').length - numbersOf(short, 'Item').length
    t.ok(above >= 25 && out > 30, `${above} above, ${out} buttons left out`)
  })

  t.test(`${mode}: what is covered says by what, and nothing else does`, async (t) => {
    await open('noise')
    const text = await snapshot()
    const [, cover] = /(e\d+) clickable "Cover"/.exec(text) ?? []
    t.match(text, `button "Under" covered by ${cover} `)
    t.equal(text.match(/covered/g)?.length, 1)
    await open('inner-scrollers')
    await evaluate(scrollAll)
    t.notMatch(await snapshot(), 'covered', 'neither is what its scroller cuts off')
    const before = await snapshot()
    t.notMatch(before, 'covered')
    await evaluate(`document.body.insertAdjacentHTML('beforeend', '<div class="veil" ' +
      'style="position: fixed; inset: 0 50% 0 0; background: gray"></div>')`)
    const { changes } = await run('press', { key: 'Shift' })
    t.equal(changes, '', 'to be covered is no change of what is covered')
    t.match(await snapshot(), /button "Item 30" covered by \.veil$/m)
  })
}
