/**
 * Goal: of fields a snapshot tells what they may be set to; of what has no name, or the same name
 * as its neighbour, what tells it apart; and where everything is, if asked. Method: fixture pages
 * in real Chromium; what is said of places is clicked there.
 */
import t from 'tap'
import { at, openFixtures } from '../../helpers/browser/page-session.ts'
import { until } from '../../helpers/lib/until.ts'

const { run, see, acted, open } = await openFixtures(t)
const textNow = async (boxes = false) => (await run('snapshot', { boxes })).text
const plainLines = (text: string) =>
  text.split('\n').map((line) => line.replace(/^ +|\be\d+ (?=[a-z])/g, ''))

t.test('fields tell their range, selects what cannot be chosen and their groups', async (t) => {
  await open('widgets')
  const lines = plainLines(await textNow())
  for (const line of [
    'spinbutton "Guests": 4 (0–10)',
    'spinbutton "Share": 0.3 (0–1 by 0.1)',
    'spinbutton "Rooms": 2 (1–)',
    'spinbutton "Age": 36',
    'slider "Volume": 30 (0–100)',
    'date "Day": 2026-05-01 (–2026-12-31)',
    'slider "Zoom": 2 (1–5)',
    'combobox "Meal": Soup (Soup, Fish (disabled), Sweet [Cake], Sold out (disabled) [Ice, Pie])',
  ]) {
    t.ok(lines.includes(line), line)
  }
})

t.test('two of one name are told apart by class or position', async (t) => {
  await open('widgets')
  const lines = plainLines(await textNow())
  t.ok(lines.includes('button "Change" .up button "Change" .down'))
  t.ok(lines.includes('button "Go" (left) button "Go" (right)'))
})

t.test('a select behind a widget is listed; one that is merely hidden is not', async (t) => {
  await open('widgets')
  const text = await textNow()
  t.match(text, /e\d+ combobox "Speed": Medium \(Slow, Medium, Fast\)/)
  t.match(text, /e\d+ combobox "Size": Large \(Small, Large\)/)
  t.notMatch(text, 'Unused')
  const [ref] = /e\d+(?= combobox "Speed")/.exec(text)!
  await run('select_option', { target: ref, values: ['Fast'] })
  t.equal(await see(`document.querySelector('#speed').value`), 'Fast')
})

t.test('what has no name is told by kind, colour, size and place', async (t) => {
  await open('shapes')
  const text = await textNow()
  t.notMatch(text, /drawing library|Unused/)
  t.notMatch(text, 'photo-of-a-cat', 'nor is what contains an image called by its file')
  t.match(text, /region #after scrollable/)
  const things = plainLines(text.replaceAll(/ (?=e\d+ )/g, '\n'))
  for (const thing of [
    'clickable circle red 40×40 at 30,30',
    'clickable circle #3a7bd5 40×40 at 130,30',
    'clickable rect green 60×20 at 220,40',
    'clickable g black 10×10 at 0,0',
    'clickable "Depot"',
    'clickable .swatch box red 20×20 at 0,100',
    'clickable .swatch circle lime 20×20 at 20,100',
    'clickable .swatch box #123456 20×20 at 40,100',
    'clickable .swatch box red 20×20 at 60,100',
    'clickable .swatch box white 20×20 at 80,100',
  ]) {
    t.ok(things.includes(thing), thing)
  }
})

t.test('places are those in the view; what moves with all around it has not changed', async (t) => {
  await open('shapes')
  await textNow()
  const { changes } = await run('click', { target: at('down') })
  t.equal(await see('scrollY'), 20)
  t.notMatch(changes, /circle|swatch/)
  t.notMatch((await run('click', { target: at('above') })).changes, /circle|swatch/)
  t.match(await textNow(), 'circle red 40×40 at 30,25')
  const moved = await run('click', { target: at('red') })
  t.match(moved.changes, /~ e\d+ clickable circle red 40×40 at 50,25/)
})

t.test(
  'asked for, all that has a ref has its place, also in a frame of another site',
  async (t) => {
    await open('shapes')
    const text = await until('the frame has come up', async () => {
      const now = await textNow(true)
      return now.includes('Inner button') && now
    })
    const places = [...text.matchAll(/(\d+)×(\d+) at (\d+),(\d+)/g)]
    t.equal(places.length, [...text.matchAll(/\be\d+ (?=[a-z])/g)].length, text)
    t.notMatch(
      (await textNow()).match(/.*Inner button.*/)![0],
      / at /,
      'otherwise they are left out',
    )
    const middleOf = (what: string) => {
      const place = new RegExp(`${what} (\\d+)×(\\d+) at (\\d+),(\\d+)`).exec(text)!
      const [width, height, x, y] = place.slice(1).map(Number) as [number, number, number, number]
      return { x: x + width / 2, y: y + height / 2 }
    }
    await run('mouse_click', middleOf('"Depot"'))
    t.same(await acted(), ['named'])
    const frame = /frame (\d+)×(\d+) at (\d+),(\d+)/.exec(text)!
    t.same(frame.slice(1), ['210', '210', '400', '30'])
    await run('mouse_click', middleOf('"Inner button"'))
    await until('the button in the frame was clicked', async () =>
      String(await acted()).includes('inner'),
    )
    t.same(await acted(), ['named', 'inner'])
  },
)
