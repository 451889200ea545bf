/**
 * Goal: the public view of an actor shows its last entry and never goes back, whoever publishes late.
 * Method: publishers of two owners on one store, one of which does not learn what it has written.
 */
import { pino } from 'pino'
import t from 'tap'
import { decode } from '../../../../proto/codec.ts'
import { ViewPublisher, type ViewRecord } from '../../../../runtime/actor/views.ts'
import { StoreUnavailable } from '../../../../runtime/store/store.ts'
import { MemoryStore } from '../../../helpers/runtime/memory-store.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'

const recordOf = (n: number): ViewRecord => ({ n, view: { id: 'c1', tenant: 'acme' } as never })

t.test('what an owner of before still has to publish does not replace a newer view', async (t) => {
  const timeline = new Timeline()
  const { clock } = new SimProcess(timeline, 'host')
  const views = new MemoryStore().bucket('views')
  const log = pino({ level: 'silent' })
  const publisher = () =>
    new ViewPublisher({ views, kind: 'counter', clock, random: () => 0.5, log })
  const shown = async () => decode<ViewRecord>((await views.get('counter.acme.c1'))!.value).n
  const [before, heir] = [publisher(), publisher()]
  before.publish(recordOf(1))
  await timeline.run(1_000)
  t.equal(await shown(), 1)

  const update = views.update.bind(views)
  views.update = async () => {
    throw new StoreUnavailable('it does not answer')
  }
  before.publish(recordOf(2))
  await timeline.run(20)
  t.ok(before.isBehind)
  views.update = update
  heir.publish(recordOf(4))
  await timeline.run(20)
  t.equal(await shown(), 4)
  await timeline.run(10_000)
  t.notOk(before.isBehind, 'it has looked, and rests')
  t.equal(await shown(), 4)
})
