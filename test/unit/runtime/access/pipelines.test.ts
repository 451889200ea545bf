// Goal: pipelines count the opportunities that the caller may see, and no others.
import t from 'tap'
import { newAccessId } from '../../../../proto/access/ids.ts'
import { MemoryStore } from '../../../helpers/runtime/memory-store.ts'
import { accessTo, recordsOn, refusal } from '../../../helpers/access/actors/records.ts'

const world = recordsOn(new MemoryStore().bucket('records'))
const { records } = world
t.teardown(() => world.indexes.stop())
const [client, other] = [newAccessId('client'), newAccessId('client')]
const make = (of: typeof client, fields: object) =>
  records.create(accessTo(of), 'opportunities', { name: 'Relaunch', ...fields })

t.test('opportunities are counted by stage and status', async (t) => {
  for (const [pipeline_id, stage_id, status] of [
    ['web', 'offer', 'open'],
    ['web', 'offer', 'open'],
    ['web', 'closing', 'won'],
    ['web', 'offer', 'lost'],
    ['ads', 'call', 'open'],
  ]) {
    await make(client, { pipeline_id, stage_id, status })
  }
  await make(client, { pipeline_id: 'web' })
  await make(other, { pipeline_id: 'other', stage_id: 'offer' })
  const gone = await make(client, { pipeline_id: 'old', stage_id: 'offer' })
  await records.remove(accessTo(client), 'opportunities', gone.data.id, () => 1)
  t.same(await records.pipelines(accessTo(client)), [
    { id: 'ads', stages: [{ id: 'call', counts: { open: 1 } }] },
    {
      id: 'web',
      stages: [
        { id: 'closing', counts: { won: 1 } },
        { id: 'offer', counts: { open: 2, lost: 1 } },
      ],
    },
  ])
})

const reading = { area: 'opportunities', actions: ['read'] } as const

t.test('only opportunities that the access includes are counted', async (t) => {
  const open = { ...reading, where: [{ field: 'status', equals: ['won'] }] }
  t.same(await records.pipelines(accessTo(client, [open])), [
    { id: 'web', stages: [{ id: 'closing', counts: { won: 1 } }] },
  ])
  const blind = { ...reading, where: [{ field: 'lost_reason', equals: ['x'] }] }
  t.same(await records.pipelines(accessTo(client, [blind])), [], 'a condition that none can judge')
  const narrow = { ...reading, fields: ['name', 'pipeline_id', 'stage_id'] }
  t.equal(await refusal(() => records.pipelines(accessTo(client, [narrow]))), 'unknown_field')
  t.equal(await refusal(() => records.pipelines(accessTo(client, []))), 'insufficient_scope')
})
