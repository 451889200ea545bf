// Goal: the compiler checks every message to an actor against the one definition of its kind: this
// file does not compile where a wrong message would. At run time, each kind answers every verb of
// its protocol, and the life that hosts rehearse fits its machine.
import t from 'tap'
import { actorKinds, type ActorDeps } from '../../../../actors/registry.ts'
import { sessionActor } from '../../../../proto/session/session-protocol.ts'
import type { SessionView } from '../../../../proto/session/session.ts'
import { startMachine, stepMachine } from '../../../../runtime/actor/cell/machine.ts'
import { rehearseKinds } from '../../../../runtime/actor/cell/rehearse.ts'
import type { Directory } from '../../../../runtime/actor/directory.ts'
import { counterKind } from '../../../helpers/runtime/counter-kind.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'

/** Compiled, never run. */
export async function compiled({ ask, create }: Pick<Directory, 'ask' | 'create'>): Promise<void> {
  const { claim, epoch } = await ask(sessionActor, 'ses_1', { type: 'attach', by: 'g1' })
  const port: number = claim.devtoolsPort + epoch
  const { view } = await ask(sessionActor, 'ses_1', { type: 'end', reason: 'deleted' })
  const shown: SessionView = view
  t.comment(port, shown)
  // @ts-expect-error a field is missing
  await ask(sessionActor, 'ses_1', { type: 'attach' })
  // @ts-expect-error a field has another type
  await ask(sessionActor, 'ses_1', { type: 'end', reason: 'bored' })
  // @ts-expect-error a field that the verb does not have
  await ask(sessionActor, 'ses_1', { type: 'get', by: 'g1' })
  // @ts-expect-error a verb that the kind does not have
  await ask(sessionActor, 'ses_1', { type: 'explode' })
  // @ts-expect-error what effects tell the machine is nothing that others may say
  await ask(sessionActor, 'ses_1', { type: 'released' })
  // @ts-expect-error a session is made from more than an id
  await create(sessionActor, 'ses_1', { id: 'ses_1' })
}

const kinds = [...actorKinds({} as ActorDeps), counterKind(async () => undefined)]

for (const { protocol, queries: answers, machine, rehearsal, view } of kinds) {
  t.test(`a ${protocol.kind} answers every verb of its protocol`, async (t) => {
    t.same(Object.keys(answers).sort(), Object.keys(protocol.verbs).sort())
  })

  t.test(`each event in the rehearsed life of a ${protocol.kind} changes it`, async (t) => {
    let { snapshot } = startMachine(machine, rehearsal.input)
    t.match(view(snapshot).tenant, /^(cli_)?rehearsal$/)
    for (const event of rehearsal.events) {
      const next = stepMachine(machine, snapshot, { ...event, at: 1 })
      t.not(next.snapshot, snapshot, event.type)
      snapshot = next.snapshot
    }
  })
}

t.test('a rehearsal ends when its time is up', async () => {
  const { clock } = new SimProcess(new Timeline(), 'host')
  let readings = 0
  // An hour passes between two reads of the clock.
  await rehearseKinds(kinds, { ...clock, monotonic: () => readings++ * 3_600_000 })
  t.ok(readings < 5)
})

t.test('a rehearsal yields the event loop to the lease of its process', async () => {
  const { clock } = new SimProcess(new Timeline(), 'host')
  let readings = 0
  let turns = 0
  let other = setImmediate(function again() {
    turns++
    other = setImmediate(again)
  })
  // Six milliseconds pass between two reads of the clock: every second life ends a turn.
  await rehearseKinds(kinds, { ...clock, monotonic: () => readings++ * 6 })
  clearImmediate(other)
  t.ok(turns > 3, `${turns} turns of the event loop`)
})
