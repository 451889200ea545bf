/** What the commands of all governance entities are held against before a machine takes them. */
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

/** From other actors; a caller of the API has no use for their names. */
const internal: readonly string[] = [
  ...['cite', 'end', 'used', 'scope_confirmed', 'scope_retired'],
  ...['book', 'unbook', 'define', 'supersede'],
]

/**
 * A command is refused when the state that the entity is in has no transition for it
 * (`invalid_transition`), and when its author saw another version (`precondition_failed`): in this
 * order, because reading it again would not help the first. The transitions are read from the
 * machine, so there is no second list of them. `notNow`: verbs that the machine knows in this state
 * and this entity does not take.
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
      throw new ServiceError('conflict', `The ${kind} is ${status}; it takes no ${message.type}.`)
    }
    const allowed = Object.keys(verbs).filter((verb) => events.includes(verb) && !isInternal(verb))
    const next =
      allowed.length > 0 ? `allowed now: ${allowed.join(', ')}` : 'nothing is allowed now'
    const why = `The ${kind} is ${status}, which does not allow ${message.type}; ${next}.`
    throw new ServiceError('invalid_transition', why, { status, allowed })
  }
  if (message.ifVersion === undefined || message.ifVersion === context.version) return
  const changed = `The ${kind} has changed; read it again and decide on what it is now.`
  throw new ServiceError('precondition_failed', changed, { version: context.version })
}

const isInternal = (verb: string): boolean => internal.includes(verb)

function eventsOf({ machine, value }: Snapshot): readonly string[] {
  const { root } = machine
  return [...root.ownEvents, ...(root.states[value]?.ownEvents ?? [])]
}

/** The rule of two people; `ACCESS_SINGLE_OPERATOR` sets it aside. */
export function admitSecond(by: Author, firstIds: readonly string[], what: string): void {
  if (by.singleOperator || !firstIds.includes(by.id)) return
  throw new ServiceError('self_review', `${what} takes a second person; ask another one.`)
}
