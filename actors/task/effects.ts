/** The effects of a task, under the names by which its machine requests them. */
import { isAgentProvider } from '../../proto/accounts/credential.ts'
import type { EffectHandlers, OutcomeOf } from '../../runtime/actor/actor-kind.ts'
import { settleWithin } from '../../runtime/lib/clock.ts'
import { enterSession, leaveSession, prepareBrowser } from './effects/acquire.ts'
import { actOnPage } from './step/act-on-page.ts'
import type { TaskContext, TaskEffectContext } from './state/context.ts'
import { checkResult, decideStep, taskOf } from './step/decide.ts'
import type { TaskEffectDeps } from './effects/deps.ts'
import { observedPageOf, observePage } from './step/observe.ts'
import { PageMemory } from './step/page-memory.ts'
import { TaskPictures } from './effects/pictures.ts'
import { RecordPublisher } from './effects/publish.ts'
import { StoredTally } from './effects/stored-tally.ts'
import { TaskSecrets } from './effects/task-secrets.ts'
import type { taskMachine } from './machine/machine.ts'
import type { TaskEffects } from './machine/effect-requests.ts'
import { taskRunLimits } from './limits.ts'

type Handlers = EffectHandlers<TaskEffects, TaskContext, OutcomeOf<typeof taskMachine>>

export function taskEffects(deps: TaskEffectDeps): Handlers {
  const pages = new PageMemory()
  const tally = new StoredTally()
  const shots = new TaskPictures({ ...deps, tally })
  const publisher = new RecordPublisher(deps, shots)
  const secrets = new TaskSecrets(deps.sealer, deps.clock)
  const opening = { ...deps, secrets }
  const told = ({ actorId }: TaskEffectContext) => tally.take(actorId)
  const deciding = { ...opening, pages, shots }
  return {
    enter: (_, effect) => enterSession(deps, effect),
    prepare: (_, effect) => prepareBrowser(opening, effect),
    observe: async (_, effect) => {
      const { observation, browser } = await observePage(opening, effect)
      pages.keep(effect.actorId, observation)
      return {
        type: 'observed',
        page: observedPageOf(observation),
        turn: browser.turn,
        ...told(effect),
      }
    },
    decide: (_, effect) => decideStep(deciding, effect),
    act: (_, effect) => actOnPage(opening, effect),
    check: (_, effect) => checkResult(deciding, effect),
    attend: (_, effect) => attend(deps, effect),
    publish: async ({ record }, effect) => {
      await publisher.publish(record, effect)
      tally.add(effect.actorId, 'steps', Buffer.byteLength(JSON.stringify(record)))
      deps.meter?.published(record)
    },
    leave: async (_, effect) => {
      pages.forget(effect.actorId)
      secrets.forget(effect.state)
      // The last screenshot needs a browser that still exists …
      const published = publisher.settled(effect.actorId)
      await settleWithin(deps.clock, taskRunLimits.taskLastPictureMs, published)
      await leaveSession(deps, effect)
      // … and when the end of the task becomes visible, all its steps are published.
      await published
      return { type: 'left', ...told(effect) }
    },
  }
}

async function attend({ models }: TaskEffectDeps, effect: TaskEffectContext): Promise<void> {
  const { provider } = effect.state.order
  if (isAgentProvider(provider)) await models.attend?.(taskOf(effect), effect.signal)
}
