/** The effects of a task, under the names by which its machine requests them. */
import { isAgent } from '../../proto/credential.ts'
import { limits } from '../../proto/limits.ts'
import type { EffectHandlers, OutcomeOf } from '../../runtime/actor-kind.ts'
import { within } from '../../runtime/clock.ts'
import { enter, leave, prepare } from './acquire.ts'
import { act } from './act.ts'
import type { TaskContext, TaskEffectContext } from './context.ts'
import { check, decide, taskOf } from './decide.ts'
import type { TaskEffectDeps } from './deps.ts'
import { pageOf, readPage } from './observe.ts'
import { PageMemory } from './page-memory.ts'
import { Pictures } from './pictures.ts'
import { Publisher } from './publish.ts'
import { TaskSecrets } from './task-secrets.ts'
import type { taskMachine } from './machine.ts'
import type { TaskEffects } from './wanted.ts'

type Handlers = EffectHandlers<TaskEffects, TaskContext, OutcomeOf<typeof taskMachine>>

export function taskEffects(deps: TaskEffectDeps): Handlers {
  const pages = new PageMemory()
  const shots = new Pictures(deps)
  const publisher = new Publisher(deps, shots)
  const secrets = new TaskSecrets(deps.sealer, deps.clock)
  const opening = { ...deps, secrets }
  const deciding = { ...opening, pages, shots }
  return {
    enter: (_, effect) => enter(deps, effect),
    prepare: (_, effect) => prepare(opening, effect),
    observe: async (_, effect) => {
      const { observation, browser } = await readPage(opening, effect)
      pages.keep(effect.actorId, observation)
      return { type: 'observed', page: pageOf(observation), turn: browser.turn }
    },
    decide: (_, effect) => decide(deciding, effect),
    act: (_, effect) => act(opening, effect),
    check: (_, effect) => check(deciding, effect),
    attend: (_, effect) => attend(deps, effect),
    publish: ({ record }, effect) => publisher.tell(record, effect),
    leave: async (_, effect) => {
      pages.forget(effect.actorId)
      secrets.forget(effect.state)
      // The last screenshot needs a browser that still exists …
      const told = publisher.settled(effect.actorId)
      await within(deps.clock, limits.taskLastPictureMs, told)
      await leave(deps, effect)
      // … and when the end of the task becomes visible, all its steps are published.
      await told
      return { type: 'left' }
    },
  }
}

async function attend({ models }: TaskEffectDeps, effect: TaskEffectContext): Promise<void> {
  const { provider } = effect.state.order
  if (isAgent(provider)) await models.attend?.(taskOf(effect), effect.signal)
}
