/**
 * Goal: a PNG put together from slices has the pixels of the whole, whichever filters the slices
 * use. Method: slices written by hand with each filter of the format; the rows of the result are
 * decoded by the rules of the specification.
 */
import { deflateSync } from 'node:zlib'
import t from 'tap'
import { pngOf, readPng } from '../../../node-agent/png/chunks.ts'
import { StitchedPng } from '../../../node-agent/png/stitched.ts'
import { pngPixels, pngPrediction } from '../../helpers/files/png.ts'

const pixelBytes = 3
const width = 4

/** One row for each filter given. */
function slice(rows: readonly (readonly number[])[], filters: readonly number[]): Buffer {
  const lines = rows.map((row, n) => {
    const above = rows[n - 1] ?? []
    const filter = filters[n]!
    return [
      filter,
      ...row.map((byte, at) => {
        const [left = 0, up = 0, corner = 0] = [
          row[at - pixelBytes],
          above[at],
          above[at - pixelBytes],
        ]
        return (byte - pngPrediction(filter, left, up, corner)) & 255
      }),
    ]
  })
  const data = deflateSync(Buffer.from(lines.flat()))
  return pngOf({ width, height: rows.length, colourType: 2 }, [data])
}

const rowOf = (seed: number) =>
  Array.from({ length: width * pixelBytes }, (_, at) => (seed * 71 + at * at * 13 + 200) & 255)

t.test('each filter in the first row of a later slice', async (t) => {
  for (const filter of [0, 1, 2, 3, 4]) {
    const rows = [1, 2, 3, 4, 5].map(rowOf)
    const whole = new StitchedPng()
    await whole.add(slice(rows.slice(0, 2), [filter, 4]))
    await whole.add(slice(rows.slice(2, 4), [filter, 3]))
    await whole.add(slice(rows.slice(4), [filter]))
    const png = await whole.end()
    t.match(readPng(png).header, { width, height: 5 })
    const { pixel } = pngPixels(png)
    const decoded = rows.map((_, y) => Array.from({ length: width }, (_, x) => pixel(x, y)).flat())
    t.same(decoded, rows, `filter ${filter}`)
  }
})

t.test('slices that do not fit together, and what is no PNG, are refused', async (t) => {
  const whole = new StitchedPng()
  t.teardown(() => whole.discard())
  await whole.add(slice([rowOf(1)], [0]))
  const wider = pngOf({ width: width + 1, height: 1, colourType: 2 }, [
    deflateSync(Buffer.alloc(16)),
  ])
  await t.rejects(whole.add(wider), { message: /differ in width/ })
  await t.rejects(whole.add(Buffer.from('GIF89a')), { message: /not a PNG/ })
  t.throws(() => readPng(Buffer.from(slice([rowOf(1)], [0]).subarray(0, 8))), {
    message: /no header/,
  })
})
