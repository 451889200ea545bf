/** What the set-up of a browser adds to a creation: on a warm one, from a preset, and not warm. */
import { markerZip } from '../../helpers/extensions/marker.ts'
import { uploaded } from '../../helpers/extensions/uploading.ts'
import { headless, createSession, startService } from '../../helpers/service/service.ts'
import { processesNaming } from '../../helpers/lib/processes.ts'
import { isBrowser } from '../../helpers/browser/browsers.ts'
import { until } from '../../helpers/lib/until.ts'
import { atRest } from '../runtime/at-rest.ts'
import { type Bench, type Figure, median, ms, timings } from '../lib/report.ts'

const preset = { ...headless.browser, device: 'Pixel 7', locale: 'de-AT' }
const place = {
  ...{ geolocation: { latitude: 48.2, longitude: 16.4 }, permissions: ['geolocation'] },
}
const blocked = { block: { ads: true, trackers: true } }
const headers = { extra_http_headers: { 'X-Tenant': 'north' } }

const rowsWith = (
  extension: string,
): readonly (readonly [string, object, number | undefined])[] => [
  ['create with place and permissions, p50', { ...headless.browser, ...place }, 100],
  ['create with headers, p50', { ...headless.browser, ...headers }, 100],
  ['create with ads and trackers blocked, p50', { ...headless.browser, ...blocked }, 100],
  ['create with an extension, p50', { ...headless.browser, extensions: [extension] }, 100],
  ['create with a device, kept warm, p50', preset, 100],
  [
    'create with a device, not warm, p50',
    { ...headless.browser, device: 'iPad Pro 11' },
    undefined,
  ],
]

export const setups: Bench = {
  name: 'setups',
  on: 'headless',
  async run() {
    const service = await startService({
      env: {
        ...{ POOL_HEADLESS: '2', POOL_HEADFUL: '0', LOG_LEVEL: 'error' },
        POOL_PRESETS: JSON.stringify([{ count: 1, browser: preset }]),
      },
    })
    const { rest, dataDir, pid } = service
    const ids: string[] = []
    const release = async () => {
      await Promise.all(ids.splice(0).map((id) => rest('DELETE', `/v1/sessions/${id}`)))
      const running = () => processesNaming(dataDir).filter(isBrowser).length
      await until('the pool is full', () => running() === 3)
      await atRest(pid)
    }
    const createWith = (browser: object) => async () => {
      ids.push((await createSession(rest, { browser })).id)
    }
    await release()
    const { id: extension } = await uploaded(service, 'marker', markerZip())
    const figures: Figure[] = []
    for (const [name, browser, mostMs] of rowsWith(extension)) {
      const samples: { plain: number[]; given: number[] } = { plain: [], given: [] }
      for (let turn = 0; turn < 6; turn++) {
        samples.plain.push(...(await timings(1, createWith(headless.browser), release)))
        samples.given.push(...(await timings(1, createWith(browser), release)))
      }
      const [plain, given] = [median(samples.plain), median(samples.given)]
      figures.push({
        name,
        ours: ms(given),
        baseline: `${ms(plain)} (nothing asked for)`,
        ratio: given / plain,
        target: mostMs === undefined ? '–' : `≤ ${mostMs} ms more`,
        met: mostMs === undefined || given - plain <= mostMs,
      })
    }
    await service.stop()
    return figures
  },
}
