/**
 * Goal: a screenshot with marks shows each ref of the snapshot at the place of its element, in
 * frames, in scaled pictures and in every format. Method: real Chromium on fixture pages; another
 * Chromium reads the pictures.
 */
import t from 'tap'
import { launchChromium } from '../../helpers/browser/local-chromium.ts'
import {
  differingShares,
  labelError,
  type PictureBytes,
  type PixelBox,
} from '../../helpers/pages/pictures.ts'
import { openFixtures } from '../../helpers/browser/page-session.ts'

const { run, refusal, open, acted } = await openFixtures(t)
const browser = await launchChromium()
t.teardown(() => browser.close())
const reader = await browser.newPage()

interface Place {
  readonly ref: string
  readonly width: number
  readonly height: number
  readonly left: number
  readonly top: number
}

/** As a snapshot with places writes them. */
async function placesInSnapshot(): Promise<readonly Place[]> {
  const { text } = await run('snapshot', { boxes: true })
  return [...text.matchAll(/(e\d+) [^\n]*?(\d+)×(\d+) at (-?\d+),(-?\d+)/g)].map(
    ([, ref, ...numbers]) => {
      const [width, height, left, top] = numbers.map(Number)
      return { ref: ref!, width: width!, height: height!, left: left!, top: top! }
    },
  )
}

const differences = (pictures: readonly [PictureBytes, PictureBytes], boxes: readonly PixelBox[]) =>
  differingShares(reader, pictures, boxes)

/** The upper and the left edge, which no other mark lies on. */
const edgesOf = ({ left, top, width, height, ref }: Place, scale = 1): readonly Place[] => {
  const [x, y, w, h] = [left, top, width, height].map((value) => Math.round(value * scale))
  return [
    { ref, left: x! + 1, top: y!, width: Math.max(1, w! - 2), height: 1 },
    { ref, left: x!, top: y! + 1, width: 1, height: Math.max(1, h! - 2) },
  ]
}

const visible = ({ left, top, width, height }: Place) =>
  left >= 2 && top >= 2 && left + width < 998 && top + height < 698

for (const name of ['form', 'shapes']) {
  t.test(`each ref in view is framed: ${name}`, async (t) => {
    await open(name)
    const all = (await placesInSnapshot()).filter(visible)
    // These are scrolled out of their frame.
    const places = all.filter(({ top }) => name === 'form' || top < 150)
    t.ok(places.length >= (name === 'form' ? 12 : 5), String(places.length))
    const pictures = [await run('screenshot'), await run('screenshot', { marks: true })] as const
    const shares = await differences(
      pictures,
      places.flatMap((place) => edgesOf(place)),
    )
    for (const [i, share] of shares.entries()) {
      t.ok(share > 0.5, `${places[Math.floor(i / 2)]!.ref}: ${share}`)
    }
    const elsewhere = { ref: '', left: 700, top: 250, width: 200, height: 200 }
    t.same(await differences(pictures, [elsewhere]), [0], 'nothing else is drawn')
  })
}

t.test('the label is the ref of the snapshot', async (t) => {
  await open('form')
  const { text } = await run('find', { text: 'Advanced' })
  const ref = /e\d+(?= button "Advanced")/.exec(text)![0]
  const place = (await placesInSnapshot()).find((one) => one.ref === ref)!
  const picture = await run('screenshot', { marks: true })
  const label = { text: ref, left: place.left, bottom: place.top }
  const wrong = await labelError(reader, picture, label)
  const other = await labelError(reader, picture, { ...label, text: 'e888' })
  t.ok(wrong < 0.05 && other > 2 * wrong, `${wrong} of the label differs; of another ${other}`)
  await run('click', { target: ref })
  t.same(await acted(), ['advanced'])
})

t.test('scaled, of a part, of the whole page, and as other formats', async (t) => {
  await open('form')
  const places = (await placesInSnapshot()).filter(visible)
  for (const input of [{ max_width: 500 }, { full_page: true }, { format: 'webp', quality: 90 }]) {
    const pictures = [
      await run('screenshot', input),
      await run('screenshot', { ...input, marks: true }),
    ] as const
    t.equal(pictures[0].type, pictures[1].type)
    const big = places.filter(({ width, height }) => width > 30 && height > 15)
    const edges = big.flatMap((place) => edgesOf(place, pictures[1].scale))
    const shares = await differences(pictures, edges)
    const hit = shares.filter((share) => share > 0.4).length
    t.ok(hit / shares.length > 0.9, `${JSON.stringify(input)}: ${hit} of ${shares.length}`)
  }
  const part = { target: 'fieldset' }
  const pictures = [
    await run('screenshot', part),
    await run('screenshot', { ...part, marks: true }),
  ] as const
  const whole = { ref: '', left: 0, top: 0, width: 100, height: 40 }
  const [share] = await differences(pictures, [whole])
  t.ok(share! > 0.05, String(share))
})

t.test('a picture that has no marks is refused', async (t) => {
  const sized = { marks: true, width: 500, height: 500 }
  t.match(await refusal('screenshot', sized), { type: 'bad_request', details: { field: 'marks' } })
  const desktop = { marks: true, source: 'desktop' }
  t.match(await refusal('screenshot', desktop), { type: 'bad_request' })
})
