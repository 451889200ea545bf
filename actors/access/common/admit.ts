/** Checks that all governance entities make before a command reaches their machine. */
import type { AnyMachineSnapshot } from 'xstate'
import type { Author, ByAuthor } from '../../../proto/access/author.ts'
import type { AccessState } from '../../../proto/access/common.ts'
import type { AnyActorProtocol } from '../../../proto/actor.ts'
import type { ActorMessage } from '../../../proto/envelope.ts'
import { ServiceError } from '../../../proto/errors.ts'

type Snapshot = Pick<AnyMachineSnapshot, 'machine'> & {
  readonly value: string
  readonly context: AccessState
}

/** Verbs of other actors; callers of the API need not see their names. */
const internal: readonly string[] = [
  ...['cite', 'end', 'used', 'scope_confirmed', 'scope_retired'],
  ...['book', 'unbook', 'define', 'supersede'],
]

/**
 * Refuses a command if the current state has no transition for it (`invalid_transition`), or if its
 * author saw another version (`precondition_failed`): in this order, because reading the entity
 * again would not solve the first. Transitions are read from the machine, so there is no second
 * list. `notNow`: verbs that the state allows but this entity does not accept.
 */
export function admitCommand(
  { kind, verbs }: AnyActorProtocol,
  snapshot: Snapshot,
  message: ActorMessage & Partial<ByAuthor>,
  notNow: readonly string[] = [],
): void {
  if (verbs[message.type]?.mode !== 'command') return
  const { value: status, context } = snapshot
  const events = eventsOf(snapshot).filter((event) => !notNow.includes(event))
  if (!events.includes(message.type)) {
    if (isInternal(message.type)) {
      throw new ServiceError(
        'conflict',
        `The ${kind} is ${status}; it does not accept ${message.type}.`,
      )
    }
    const allowed = Object.keys(verbs).filter((verb) => events.includes(verb) && !isInternal(verb))
    const next =
      allowed.length > 0 ? `allowed now: ${allowed.join(', ')}` : 'nothing is allowed now'
    const why = `The ${kind} is ${status}, which does not allow ${message.type}; ${next}.`
    throw new ServiceError('invalid_transition', why, { status, allowed })
  }
  if (message.ifVersion === undefined || message.ifVersion === context.version) return
  const changed = `The ${kind} has changed; read it again and decide on the current version.`
  throw new ServiceError('precondition_failed', changed, { version: context.version })
}

const isInternal = (verb: string): boolean => internal.includes(verb)

function eventsOf({ machine, value }: Snapshot): readonly string[] {
  const { root } = machine
  return [...root.ownEvents, ...(root.states[value]?.ownEvents ?? [])]
}

/** The two-person rule; `ACCESS_SINGLE_OPERATOR` overrides it. */
export function admitSecond(by: Author, firstIds: readonly string[], what: string): void {
  if (by.singleOperator || !firstIds.includes(by.id)) return
  throw new ServiceError('self_review', `${what} requires a second person; ask another one.`)
}
