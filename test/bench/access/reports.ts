/** How long it takes to generate a report from a month of records, and to show it. */
import type { AreaKey } from '../../../proto/access/areas/areas.ts'
import { dayMs } from '../../../proto/units.ts'
import { dataOf } from '../../helpers/access/asking.ts'
import { recordsOf, staffWithGrant } from '../../helpers/access/report-people.ts'
import { openWorld } from '../../helpers/access/world.ts'
import type { Teardown } from '../../helpers/nats/nats.ts'
import { median, ms, timings, type Figure } from '../lib/report.ts'

const perArea = 240
const runs = 20

export async function measureReports(t: Teardown): Promise<Figure[]> {
  const world = await openWorld(t, { LOG_LEVEL: 'error' })
  const { ask, a } = world
  const add = recordsOf(world, a.id)
  const nowMs = Date.now()
  for (let n = 0; n < perArea; n++) {
    const at = new Date(nowMs - (n % 28) * dayMs).toISOString()
    const each: readonly [AreaKey, object][] = [
      ['tasks', { title: `Task ${n}`, status: 'completed', completed_at: at }],
      ['opportunities', { name: `Deal ${n}`, status: 'won', last_status_change_at: at }],
      ['content-gaps', { topic: `Topic ${n}`, keyword: `keyword ${n}` }],
    ]
    await Promise.all(each.map(([area, fields]) => add(area, { ...fields })))
  }
  const { token } = await staffWithGrant(world, a, ['operator'])
  const day = (at: number) => new Date(at).toISOString().slice(0, 10)
  const period = { from: day(nowMs - 29 * dayMs), to: day(nowMs) }
  const body = { client_id: a.id, kind: 'metrics', period }
  let n = 0
  const from = () => `10.6.0.${n++ % 250}`
  let id = ''
  const generated = await timings(runs, async () => {
    id = dataOf(await ask('POST', '/v1/reports', { token, body, from: from() })).id
  })
  const shown = await timings(runs, async () => {
    const headers = { accept: 'text/html' }
    const { status } = await ask('GET', `/v1/reports/${id}/content`, {
      token,
      headers,
      from: from(),
    })
    if (status !== 200) throw new Error(`${status}`)
  })
  return [
    {
      name: `report generated from ${3 * perArea} records, p50`,
      ours: ms(median(generated)),
      target: '–',
      met: true,
    },
    { name: 'report shown as HTML, p50', ours: ms(median(shown)), target: '–', met: true },
  ]
}
