/**
 * Goal: a video shows pictures in the order in which they were painted. Method: a played browser, whose
 * pictures come as late as the test wants.
 */
import t from 'tap'
import { Pictures } from '../../../../node-agent/video/pictures/pictures.ts'
import { systemClock } from '../../../../runtime/lib/clock.ts'
import { until } from '../../../helpers/lib/until.ts'
import { playedBrowser } from '../../../helpers/video/played-videos.ts'

t.test('a picture that comes after newer ones is left out', async (t) => {
  const { browser, calls, show } = playedBrowser(systemClock)
  const shown: number[] = []
  const pictures = new Pictures(browser, ({ jpeg }) => shown.push(jpeg[0]!))
  t.teardown(() => pictures.stop())
  await until('the page is shown', () => calls.includes('Page.startScreencast'))
  show(Uint8Array.of(1), 500)
  show(Uint8Array.of(2), 100)
  show(Uint8Array.of(3), 200)
  show(Uint8Array.of(4), 50)
  t.same(shown, [1, 2, 4])
  await until('each is acknowledged, so that more come', () => {
    return calls.filter((method) => method === 'Page.screencastFrameAck').length === 4
  })
  show(Uint8Array.of(5), 3_600_000)
  t.same(shown, [1, 2, 4, 5], 'a clock that was set back is no reason')
})
