// Goal: no machine of the service uses what the runtime could not recover: starting things,
// waiting, or keeping live objects. Effects are named actions with plain parameters, timers are
// deadlines in the context.
import t from 'tap'
import { fromPromise, raise, setup, spawnChild, type AnyStateMachine } from 'xstate'
import { actorKinds, type ActorDeps } from '../../../../actors/registry.ts'
import { counterKind } from '../../../helpers/runtime/counter-kind.ts'
import { machineFaults } from '../../../helpers/runtime/machine-lint.ts'

const kinds = [...actorKinds({} as ActorDeps), counterKind(async () => undefined)]

for (const { protocol, machine } of kinds) {
  t.test(`the machine of ${protocol.kind} can be recovered at any moment`, async (t) => {
    t.strictSame(machineFaults(machine), [])
  })
}

const lax = setup({
  actors: { child: fromPromise(async () => undefined) },
  actions: { x: () => {} },
})

const guilty: readonly (readonly [string, AnyStateMachine])[] = [
  ['after', lax.createMachine({ after: { 100: {} } })],
  ['invoke', lax.createMachine({ invoke: { src: 'child' } })],
  ['spawnChild', lax.createMachine({ entry: spawnChild('child') })],
  ['raise', lax.createMachine({ entry: raise({ type: 'later' }, { delay: 5 }) })],
  ['inline action', lax.createMachine({ on: { go: { actions: () => undefined } } })],
  ['context', lax.createMachine({ context: { seen: new Map() } })],
]
for (const [fault, machine] of guilty) {
  t.test(`${fault} is found`, async (t) => {
    const faults = machineFaults(machine)
    t.equal(faults.length, 1)
    t.match(faults[0], fault)
  })
}
