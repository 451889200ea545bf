/**
 * Goal: an open list of sessions is kept current by a stream that sends what has changed and nothing
 * of other tenants, and ends with the key. Method: a real gateway with views that the test sets.
 */
import t, { type Test } from 'tap'
import { signedInPlainly } from '../../../helpers/console/plain-visitor.ts'
import { consoleLimits } from '../../../../gateway/console/limits.ts'
import { newId } from '../../../../proto/ids.ts'
import type { SessionView } from '../../../../proto/session/session.ts'
import { EventReader } from '../../../helpers/console/event-reader.ts'
import { playService, playedView } from '../../../helpers/gateway/gateway.ts'
import { keyOf } from '../../../helpers/gateway/played/keys.ts'

const acme = keyOf('acme')
const busy = keyOf('busy')
const service = await playService({
  keys: [acme.record, busy.record],
  env: { PUBLIC_URL: 'https://browsers.example' },
})
t.teardown(() => service.close())

async function follow(t: Test, key: string, query = ''): Promise<EventReader> {
  const one = await signedInPlainly(service.gateway.url, key)
  const reader = new EventReader(await one.exchange('GET', `/console/sessions/feed${query}`))
  t.teardown(() => reader.close())
  return reader
}

function have(tenant: string, more: Partial<SessionView> = {}): SessionView {
  const view = { ...playedView(newId('ses')), tenant, ...more }
  service.views.set(view)
  return view
}

t.test('what has changed is sent, and nothing else', async (t) => {
  const first = have('acme')
  const reader = await follow(t, acme.text)
  const whole = await reader.next<{ sessions: string; show: string }>('parts')
  t.match(whole.sessions, `id="row-${first.id}"`)
  const second = have('acme', { createdAtMs: Date.now() + 1_000 })
  have('other')
  const added = await reader.next<Rows>('rows')
  t.same(added.order, [`row-${second.id}`, `row-${first.id}`])
  t.same(Object.keys(added.rows), [`row-${second.id}`], 'the other row is as it was')
  t.same(added.counts, { live: '2', ended: '0', all: '2' })
  service.views.set({ ...first, tags: ['shop'] })
  const tagged = await reader.next<Rows>('rows')
  t.match(tagged.rows[`row-${first.id}`], />shop</)
  t.equal(tagged.order, undefined)
  service.views.set({ ...second, status: 'completed', reason: 'idle' })
  t.same((await reader.next<Rows>('rows')).order, [`row-${first.id}`])
  service.views.set({ ...first, status: 'completed', reason: 'idle' })
  const empty = await reader.next<{ sessions: string }>('parts')
  t.match(empty.sessions, /No sessions are running/)
})

t.test('a burst of changes is one message, and its page no longer than a page', async (t) => {
  const views = Array.from({ length: 1_000 }, (_, n) => have('busy', { createdAtMs: n }))
  const reader = await follow(t, busy.text)
  await reader.next('parts')
  for (const view of views) service.views.set({ ...view, tags: ['again'] })
  const { rows, order } = await reader.next<Rows>('rows')
  t.equal(Object.keys(rows).length, consoleLimits.sessionRows)
  t.equal(order, undefined)
  const searched = await follow(t, busy.text, '?search=again')
  t.match((await searched.next<{ show: string }>('parts')).show, /1,000/)
})

t.test('the stream ends with its key', async (t) => {
  const reader = await follow(t, acme.text)
  service.keys.set({ ...acme.record, revokedAtMs: 1 })
  await reader.next('over')
  t.ok(await reader.ended, 'and is closed')
})

interface Rows {
  readonly order?: readonly string[]
  readonly rows: Readonly<Record<string, string>>
  readonly counts?: Readonly<Record<string, string>>
}
