// Goal: what a tenant's sessions and tasks have stored is counted in each stream, from the start, and
// not after it has gone.
import t from 'tap'
import { streams } from '../../../../proto/subjects.ts'
import type { BytesByStream } from '../../../../runtime/actor/actor-kind.ts'
import { actorLimits } from '../../../../runtime/actor/limits.ts'
import { StoreRoom } from '../../../../runtime/actor/store-room.ts'
import type { ViewRecord } from '../../../../runtime/actor/views.ts'
import { storeLimits } from '../../../../runtime/store/limits.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'

const shareBytes = 100

function stage() {
  const timeline = new Timeline()
  const { clock } = new SimProcess(timeline, 'p')
  const records = new Map<string, ViewRecord>()
  const archived = new Map<string, BytesByStream>()
  let tell = (_key: string, _record: ViewRecord | undefined): void => undefined
  const open = () =>
    new StoreRoom({
      clock,
      shares: { bytesOf: () => shareBytes },
      archivedBytes: (tenant) => archived.get(tenant) ?? {},
      viewMap: {
        entries: () => records.entries(),
        onChange(listener) {
          tell = listener
          return () => undefined
        },
      },
    })
  let room = open()
  return {
    timeline,
    archived,
    restart: () => (room = open()),
    set(tenant: string, id: string, more: Partial<ViewRecord>, endedAtMs = clock.now()) {
      const record = { n: 1, view: { id, tenant, endedAtMs }, ...more }
      records.set(`task.${tenant}.${id}`, record)
      tell(`task.${tenant}.${id}`, record)
    },
    remove(tenant: string, id: string) {
      records.delete(`task.${tenant}.${id}`)
      tell(`task.${tenant}.${id}`, undefined)
    },
    isAdmitted(tenant: string) {
      try {
        room.admit(tenant)
        return true
      } catch {
        return false
      }
    },
  }
}

const filling: Readonly<Record<string, Partial<ViewRecord>>> = {
  views: { viewBytes: 60 },
  logs: { entryBytes: 60 },
  steps: { elsewhereBytes: { [streams.steps]: 60 } },
  pictures: { elsewhereBytes: { [streams.pictures]: 60 } },
}

for (const [what, more] of Object.entries(filling)) {
  t.test(`a tenant is refused when its ${what} fill its share, until some go`, async (t) => {
    const { set, remove, restart, isAdmitted } = stage()
    set('acme', 'a', more)
    t.ok(isAdmitted('acme'))
    set('acme', 'b', more)
    t.notOk(isAdmitted('acme'))
    t.ok(isAdmitted('umbrella'), 'it alone')
    restart()
    t.notOk(isAdmitted('acme'), 'also by a gateway that starts')
    remove('acme', 'a')
    t.ok(isAdmitted('acme'))
  })
}

t.test('steps and pictures that the server has removed for their age do not count', async (t) => {
  const { timeline, set, isAdmitted } = stage()
  set('acme', 'a', { entryBytes: 1, elsewhereBytes: { [streams.steps]: shareBytes } })
  t.notOk(isAdmitted('acme'))
  await timeline.run(storeLimits.stepsKeptMs - 1)
  t.notOk(isAdmitted('acme'))
  await timeline.run(actorLimits.roomExpiryMs)
  t.ok(isAdmitted('acme'))
  set('acme', 'b', { entryBytes: shareBytes })
  t.notOk(isAdmitted('acme'), 'its log stays')
})

t.test('what archived tasks have stored elsewhere counts as well', async (t) => {
  const { timeline, archived, set, remove, isAdmitted } = stage()
  set('acme', 'a', { elsewhereBytes: { [streams.pictures]: 60 } })
  set('acme', 'b', { viewBytes: 60, elsewhereBytes: { [streams.pictures]: 30 } })
  t.ok(isAdmitted('acme'))
  remove('acme', 'a')
  archived.set('acme', { [streams.pictures]: 80 })
  await timeline.run(actorLimits.roomExpiryMs)
  t.notOk(isAdmitted('acme'))
  t.ok(isAdmitted('umbrella'))
})
