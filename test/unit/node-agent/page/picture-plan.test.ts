/**
 * Goal: no page makes a picture larger than its bounds, and its slices meet without a gap. Method:
 * the pure part of the plan, for pages of every shape.
 */
import fc from 'fast-check'
import t from 'tap'
import { pageLimits } from '../../../../node-agent/page/limits.ts'
import { planPicture, slicesOf } from '../../../../node-agent/page/pictures/picture-plan.ts'
import type { Tab } from '../../../../node-agent/page/tabs/tab.ts'
import { commandLimits } from '../../../../proto/commands/limits.ts'

const plan = (width: number, height: number, deviceScale: number, maxWidth?: number) => {
  const seen = { pageX: 0, pageY: 0, clientWidth: 1_000, clientHeight: 700 }
  const metrics = { cssVisualViewport: seen, cssContentSize: { width, height } }
  const tab = { send: async () => metrics } as unknown as Tab
  return planPicture(tab, { fullPage: true, format: 'png', maxWidth }, deviceScale)
}

const side = fc.oneof(fc.integer({ min: 1, max: 2_000 }), fc.integer({ min: 1, max: 20_000_000 }))

t.test('bounds and slices', async () => {
  const shapes = fc.tuple(
    side,
    side,
    fc.constantFrom(1, 1.5, 3),
    fc.option(fc.integer({ min: 1, max: 4_000 }), { nil: undefined }),
  )
  await fc.assert(
    fc.asyncProperty(shapes, async ([width, height, deviceScale, maxWidth]) => {
      const { clip, cutFrom, ...rest } = await plan(width, height, deviceScale, maxWidth)
      const ratio = clip!.scale * deviceScale
      const [wide, high] = [clip!.width * ratio, clip!.height * ratio]
      const slices = slicesOf({ clip, cutFrom, ...rest }, deviceScale)
      let next = clip!.y
      for (const { clip: slice } of slices) {
        if (slice!.y !== next || slice!.height * ratio > commandLimits.screenshotSidePx + 1e-6)
          return false
        next += slice!.height
      }
      const isCut = clip!.width < width || clip!.height < height
      return (
        Math.abs(next - clip!.y - clip!.height) < 1e-6 &&
        wide <= commandLimits.screenshotSidePx + 1e-6 &&
        high <= Math.max(ratio, pageLimits.pictureSlicePx * pageLimits.pictureSlices) + 1e-6 &&
        isCut === (cutFrom !== undefined)
      )
    }),
    { numRuns: 500 },
  )
})
