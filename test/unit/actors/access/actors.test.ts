// Goal: grants end with the need, scope, person or client that they depend on, whichever process
// dies on the way, and no grant is made on one that has ended. Method: the real actors in one
// process on a virtual clock; owners of the need are killed at every step of its end.
import { pino } from 'pino'
import t from 'tap'
import { needKind } from '../../../../actors/access/need/kind.ts'
import { clientActor } from '../../../../proto/access/engagement/client.ts'
import { grantActor } from '../../../../proto/access/grants/grant.ts'
import type { GrantId } from '../../../../proto/access/ids.ts'
import { accessLimits } from '../../../../proto/access/limits.ts'
import { dayMs } from '../../../../proto/units.ts'
import { needActor } from '../../../../proto/access/engagement/need.ts'
import { personActor } from '../../../../proto/access/people/person.ts'
import { requestActor } from '../../../../proto/access/grants/request.ts'
import { scopeActor } from '../../../../proto/access/engagement/scope.ts'
import type { CommandEnvelope } from '../../../../proto/envelope.ts'
import { Cell } from '../../../../runtime/actor/cell/cell.ts'
import type { Directory } from '../../../../runtime/actor/directory.ts'
import { readLastEntry } from '../../../../runtime/actor/log.ts'
import type { LogStore } from '../../../../runtime/store/store.ts'
import { ViewPublisher } from '../../../../runtime/actor/views.ts'
import { AccessStage, typeOf } from '../../../helpers/access/actors/stage.ts'
import {
  accessIdOf,
  admin,
  because,
  client,
  draft,
  mine,
  need,
  owner,
  reviewers,
  reviewOf,
  scope,
  secondAdmin,
  settled,
  subjectId,
  submit,
  termsAt,
} from '../../../helpers/access/actors/story.ts'
import { checkHistory } from '../../../helpers/runtime/log-checker.ts'
import { ampleRoom } from '../../../../runtime/actor/log-room.ts'
import { SimProcess } from '../../../sim/world/clock.ts'

const random = () => 0.5
const log = pino({ level: 'silent' })

/** Requested, approved by both reviewers, and open. */
async function openGrant({ directory, clock }: AccessStage, n: number): Promise<GrantId> {
  const now = clock.now()
  const id = await draft(directory, n, now, termsAt(now))
  const { digest } = await submit(directory, id)
  for (const by of [reviewers[0], owner]) {
    const { view } = await directory.ask(requestActor, id, reviewOf(by, digest), settled)
    if (view.grantId) return view.grantId
  }
  throw new Error('it was not granted')
}

async function beginWithGrants(count: number) {
  const stage = await AccessStage.begin()
  const ids: GrantId[] = []
  for (let n = 1; n <= count; n++) ids.push(await stage.until(openGrant(stage, n)))
  const grants = async () => {
    await stage.timeline.run(1_000)
    const ask = (id: GrantId) => stage.directory.ask(grantActor, id, { type: 'get' }, mine)
    const replies = await stage.until(Promise.all(ids.map(ask)))
    return replies.map(({ view: { status, endReason } }) => endReason ?? status)
  }
  return { stage, grants }
}

t.test('closing a need ends its grants, and no other grant can be made on it', async (t) => {
  const { stage, grants } = await beginWithGrants(3)
  t.same(await grants(), ['active', 'active', 'active'])
  const { ask } = stage.directory
  await stage.until(ask(needActor, need, { type: 'close', by: admin, reason: because }, mine))
  t.same(await grants(), ['need_closed', 'need_closed', 'need_closed'])
  const cite = { type: 'cite', grantId: accessIdOf('grant', 9) } as const
  t.equal(await stage.until(typeOf(ask(needActor, need, cite, mine))), 'conflict')
})

t.test('retiring a scope ends its grants, and its client is told', async (t) => {
  const { stage, grants } = await beginWithGrants(2)
  const { ask } = stage.directory
  const retire = { type: 'retire', by: admin, reason: because } as const
  await stage.until(ask(scopeActor, scope, retire, settled))
  t.same(await grants(), ['scope_retired', 'scope_retired'])
  const [last] = (await stage.history('client', client)).slice(-1)
  t.match(last?.event, { type: 'scope_retired', scopeId: scope })
})

t.test('removing a person ends the grants they were given', async (t) => {
  const { stage, grants } = await beginWithGrants(2)
  const remove = { type: 'remove', by: admin, reason: because } as const
  await stage.until(stage.directory.ask(personActor, subjectId, remove))
  t.same(await grants(), ['subject_removed', 'subject_removed'])
})

t.test(
  'closing a client ends its grants, needs and scopes; suspending it keeps them',
  async (t) => {
    const { stage, grants } = await beginWithGrants(2)
    const tell = (type: 'suspend' | 'resume' | 'offboard' | 'close') =>
      stage.until(
        stage.directory.ask(clientActor, client, { type, by: secondAdmin, reason: because }, mine),
      )
    await tell('suspend')
    await tell('resume')
    await tell('suspend')
    await tell('offboard')
    t.same(await grants(), ['active', 'active'])
    const engagement = async () => {
      const open = await stage.until(stage.directory.ask(needActor, need, { type: 'get' }, settled))
      const force = await stage.until(
        stage.directory.ask(scopeActor, scope, { type: 'get' }, settled),
      )
      return [open.view, force.view]
    }
    t.match(await engagement(), [{ status: 'open' }, { status: 'active' }])
    await tell('close')
    t.same(await grants(), ['client_closed', 'client_closed'])
    const reason = 'The client was closed.'
    t.match(await engagement(), [
      { status: 'closed', closedReason: reason, updatedBy: secondAdmin.id },
      { status: 'retired', reason, updatedBy: secondAdmin.id },
    ])
  },
)

t.test('a need that is not closed by a person closes 7 days after its end', async (t) => {
  const stage = await AccessStage.begin()
  const endMs = stage.clock.now() + 5 * dayMs
  const id = accessIdOf('need', 2)
  const { create, ask } = stage.directory
  const { view } = await stage.until(ask(needActor, need, { type: 'get' }, mine))
  const input = { ...view, id, by: admin, createdAtMs: endMs - 5 * dayMs, expectedEndAtMs: endMs }
  await stage.until(create(needActor, id, input, mine))
  await stage.timeline.run(20 * dayMs)
  const entries = await stage.history('need', id)
  t.match(
    entries.map(({ event, at }) => ({ type: event.type, at })),
    [
      { type: 'created' },
      { type: 'deadline.expected_end', at: endMs },
      { type: 'deadline.abandoned', at: endMs + accessLimits.needOverdueMs },
    ],
  )
})

t.test('a scope is retired when effective_to passes', async (t) => {
  const stage = await AccessStage.begin()
  const { ask } = stage.directory
  const get = () => stage.until(ask(scopeActor, scope, { type: 'get' }, mine))
  const terms = (await get()).view.current!
  const effectiveToMs = stage.clock.now() + dayMs
  const sooner = { type: 'revise', by: admin, terms: { ...terms, effectiveToMs } } as const
  await stage.until(ask(scopeActor, scope, sooner, mine))
  await stage.timeline.run(dayMs)
  t.match((await get()).view, { status: 'retired', updatedAtMs: effectiveToMs })
})

/** Where the owner of the need dies while the need closes. */
type Death = 'before it is written' | 'once it is written' | `${'before' | 'after'} grant ${number}`

const deaths: readonly Death[] = [
  'before it is written',
  'once it is written',
  ...[1, 2, 3].flatMap((n): Death[] => [`before grant ${n}`, `after grant ${n}`]),
]

const never = () => new Promise<never>(() => undefined)

/** An owner of the need, in its own process that dies at the given moment. */
async function own(stage: AccessStage, epoch: number, death?: Death): Promise<Cell> {
  const process = new SimProcess(stage.timeline, `owner ${epoch}`)
  const { clock } = process
  let told = 0
  /** True once the next entry to be written is the one that ends the need. */
  let isClosing = false
  /** Kills the process at its moment; in a dead process nothing continues. */
  const pass = async (moment: Death): Promise<void> => {
    if (moment === death) process.kill()
    if (process.state === 'dead') await never()
  }
  const directory: Pick<Directory, 'ask'> = {
    ask: async (protocol, id, message, options) => {
      const n = ++told
      await pass(`before grant ${n}`)
      const reply = await stage.directory.ask(protocol, id, message, options)
      await pass(`after grant ${n}`)
      return reply
    },
  }
  const store: LogStore = {
    last: (subject) => stage.store.log.last(subject),
    read: (subject, from) => stage.store.log.read(subject, from),
    purge: (subject) => stage.store.log.purge(subject),
    trim: (...range) => stage.store.log.trim(...range),
    append: async (subject, data, expectedSeq) => {
      if (isClosing) await pass('before it is written')
      const seq = await stage.store.log.append(subject, data, expectedSeq)
      if (isClosing) await pass('once it is written')
      return seq
    },
  }
  const views = stage.store.bucket('views')
  const last = await readLastEntry(stage.store.log, 'need', need)
  const cell = await Cell.recover(
    {
      kind: needKind({ directory }),
      ownership: { kind: 'need', id: need, epoch, revision: epoch },
      incarnation: `h${epoch}.actors.x`,
      writer: {
        log: store,
        clock,
        random,
        mayWrite: () => process.state === 'running',
        room: ampleRoom,
      },
      clock,
      views: new ViewPublisher({ views, kind: 'need', clock, random, log }),
      log,
      onFenced: () => undefined,
    },
    last!,
  )
  isClosing = true
  return cell
}

for (const death of deaths) {
  t.test(`a need whose owner dies ${death} ends all its grants, once`, async (t) => {
    const { stage, grants } = await beginWithGrants(3)
    const request: CommandEnvelope = {
      requestId: 'close-once',
      deadlineMs: stage.clock.now() + dayMs,
      command: Object.assign({ type: 'close' }, { by: admin, reason: because, ifVersion: 1 }),
    }
    const owner = await stage.until(own(stage, 2, death))
    void owner.handle(request)
    await stage.timeline.run(60_000)
    if (!death.startsWith('after')) t.ok((await grants()).includes('active'), 'it is not done')

    const heir = await stage.until(own(stage, 3))
    const reply = await stage.until(heir.handle(request))
    t.match(reply, { ok: true, value: { view: { status: 'closed', version: 2 } } })
    t.same(await grants(), ['need_closed', 'need_closed', 'need_closed'])
    const entries = await stage.history('need', need)
    t.same(checkHistory(entries), [])
    t.equal(entries.filter(({ event }) => event.type === 'close').length, 1)
  })
}
