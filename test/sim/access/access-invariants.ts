/**
 * What must hold for access whatever has happened: no grant without its reviews, and no read after
 * its end. Reads committed states, as gateways read the views of them.
 */
import type { ClientContext } from '../../../actors/access/client/machine.ts'
import type { GrantContext } from '../../../actors/access/grant/machine.ts'
import type { NeedContext } from '../../../actors/access/need/machine.ts'
import type { RequestContext } from '../../../actors/access/request/machine.ts'
import { validReviews } from '../../../proto/access/grants/review-slots.ts'
import type { ScopeContext } from '../../../actors/access/scope/machine.ts'
import { platformTenant } from '../../../proto/access/ids.ts'
import { excessPermissions } from '../../../proto/access/permissions.ts'
import { decode } from '../../../proto/codec.ts'
import { buckets, viewKey } from '../../../proto/subjects.ts'
import { readLastEntry, type LogEntry } from '../../../runtime/actor/log.ts'
import type { ViewRecord } from '../../../runtime/actor/views.ts'
import { client, need, scope, subjectId } from '../../helpers/access/actors/story.ts'
import { checkHistory, readHistory } from '../../helpers/runtime/log-checker.ts'
import type { AccessWorld } from './access-world.ts'
import { worldBeginsAtMs } from '../world/clock.ts'
import type { PersonContext } from '../../../actors/access/person/context.ts'

interface State<C> {
  readonly value: string
  readonly context: C
}
interface Contexts {
  readonly client: ClientContext
  readonly scope: ScopeContext
  readonly need: NeedContext
  readonly person: PersonContext
  readonly request: RequestContext
  readonly grant: GrantContext
}
type Kind = keyof Contexts
const kinds: readonly Kind[] = ['client', 'scope', 'need', 'person', 'request', 'grant']

const stateIn = <K extends Kind>({ snapshot }: LogEntry): State<Contexts[K]> =>
  snapshot as State<Contexts[K]>

const idOf = ({ request, grant }: AccessWorld): Readonly<Record<Kind, string>> => ({
  client,
  scope,
  need,
  person: subjectId,
  request,
  grant,
})

export async function stateOf<K extends Kind>(
  access: AccessWorld,
  kind: K,
): Promise<State<Contexts[K]> | undefined> {
  const last = await readLastEntry(access.world.memory.log, kind, idOf(access)[kind])
  return last && stateIn<K>(last.entry)
}

/** Whether the committed states of the whole chain admit a request. */
async function mayRead(access: AccessWorld): Promise<boolean> {
  const nowMs = worldBeginsAtMs + access.world.timeline.nowMs
  const grant = await stateOf(access, 'grant')
  const around = await stateOf(access, 'client')
  const bound = await stateOf(access, 'scope')
  const why = await stateOf(access, 'need')
  const who = await stateOf(access, 'person')
  if (!grant || grant.value !== 'active' || !bound?.context.current) return false
  const { startsAtMs, endsAtMs, permissions } = grant.context
  return (
    startsAtMs <= nowMs &&
    nowMs < endsAtMs &&
    around?.value === 'active' &&
    bound.value === 'active' &&
    why?.value !== 'closed' &&
    who?.value !== 'removed' &&
    excessPermissions(permissions, bound.context.current.areas).length === 0
  )
}

/** The endings after which the chain must refuse from the moment of their acknowledgement. */
const forGood: readonly string[] = [
  'close_need',
  'retire_scope',
  'narrow_scope',
  'suspend_client',
  'close_client',
  'remove_subject',
  'withdraw',
  'revoke',
]
/** The endings that also end the grant itself. */
const endings: readonly string[] = ['close_need', 'retire_scope', 'close_client', 'remove_subject']

/** Holds at any moment. */
export async function checkNow(access: AccessWorld): Promise<void> {
  const { world, done, trouble } = access
  // Read before the states: an acknowledgement that comes meanwhile does not count yet.
  const isOver = done.has('trouble') && forGood.includes(trouble)
  if (!(await mayRead(access))) return
  if (isOver) world.finding(`a read after ${trouble} was acknowledged`)
  for (const finding of await checkReviews(access)) world.finding(finding)
}

/** An open grant has the reviews that its request's frozen policy required. */
async function checkReviews(access: AccessWorld): Promise<string[]> {
  const request = await stateOf(access, 'request')
  const grant = await stateOf(access, 'grant')
  const policy = request?.context.policy
  if (!request || !policy) return ['a grant is open whose request was not submitted']
  const { value, context } = request
  const { createdBy, terms, digest } = context
  const given = validReviews(context)
  const approvals = given.filter(({ decision }) => decision === 'approve')
  const people = approvals.map(({ reviewerId }) => reviewerId)
  const parties: readonly string[] = [createdBy.id, terms.subject.id]
  return [
    ...(value === 'approved' || value === 'fulfilled' ? [] : [`its request is ${value}`]),
    ...(given.some(({ decision }) => decision === 'deny') ? ['it was denied'] : []),
    ...(new Set(people).size === people.length ? [] : ['one person has filled two slots']),
    ...(people.some((id) => parties.includes(id)) ? ['a party has approved it'] : []),
    ...(approvals.every((review) => review.digest === digest) ? [] : ['another form was approved']),
    ...policy.slots.flatMap(({ role, count }) => {
      const filled = approvals.filter(({ slot }) => slot === role).length
      return filled === count ? [] : [`${filled} of ${count} ${role} have approved`]
    }),
    ...(grant?.context.approvers.length === approvals.length ? [] : ['it names other approvers']),
  ].map((what) => `an open grant: ${what}`)
}

/** Holds once the world was healed and left alone. */
export async function checkAtRest(access: AccessWorld): Promise<void> {
  await checkNow(access)
  const findings = [
    ...(await checkLogs(access)),
    ...(await checkOutcome(access)),
    ...(await checkAcknowledged(access)),
  ]
  for (const finding of findings) access.world.finding(finding)
}

/**
 * These effects report nothing to their actor, so no entry says that they are done; grants, needs
 * and scopes show them.
 */
const untold: readonly string[] = ['tell_grants', 'drop_grant', 'end_engagement']

async function checkLogs(access: AccessWorld): Promise<string[]> {
  const findings: string[] = []
  const { memory } = access.world
  for (const kind of kinds) {
    const id = idOf(access)[kind]
    const entries = await readHistory(memory.log, kind, id)
    const last = entries.at(-1)
    if (!last) continue
    findings.push(...checkHistory(entries))
    const pending = last.pending.filter((effect) => !untold.includes(effect.kind))
    findings.push(...pending.map((effect) => `${kind}: ${effect.kind} is still pending`))
    const tenant = kind === 'person' ? platformTenant : client
    const stored = await memory.bucket(buckets.views).get(viewKey(kind, tenant, id))
    const shown = stored && decode<ViewRecord>(stored.value).n
    if (shown !== last.n) findings.push(`the view of ${kind} shows entry ${shown} of ${last.n}`)
  }
  return findings
}

async function checkOutcome(access: AccessWorld): Promise<string[]> {
  const { trouble, done } = access
  const request = await stateOf(access, 'request')
  const grant = await stateOf(access, 'grant')
  const isOpen = grant !== undefined && ['scheduled', 'active'].includes(grant.value)
  const findings: string[] = []
  if (request && ['checking', 'approved'].includes(request.value)) {
    findings.push(`its request is ${request.value} for good`)
  }
  if (grant?.value === 'confirming') findings.push('the grant is confirming for good')
  if (request?.value === 'fulfilled' && !grant) findings.push('fulfilled without a grant')
  if (request?.value !== 'fulfilled' && isOpen) findings.push(`open, and ${request?.value}`)
  if (request?.value === 'fulfilled' && grant?.context.endReason === 'never_held') {
    findings.push('fulfilled by a grant that never held')
  }
  if (done.has('trouble') && endings.includes(trouble) && isOpen) {
    findings.push(`the grant outlives ${trouble}`)
  }
  if (done.has('trouble') && trouble === 'close_client') {
    const outlasting = [
      (await stateOf(access, 'need'))?.value !== 'closed' && 'need',
      (await stateOf(access, 'scope'))?.value !== 'retired' && 'scope',
    ]
    findings.push(...outlasting.filter(Boolean).map((what) => `the ${what} outlives its client`))
  }
  if (isOpen && grant.context.endsAtMs <= worldBeginsAtMs + access.world.timeline.nowMs) {
    findings.push('the grant outlives its end')
  }
  const wasDenied = request?.context.reviews.some(({ decision }) => decision === 'deny')
  if (trouble === 'none' && !wasDenied && grant?.value !== 'active') {
    findings.push(`nothing came between, and the grant is ${grant?.value}`)
  }
  return findings
}

/** Each acknowledged command is in the record, once. */
async function checkAcknowledged(access: AccessWorld): Promise<string[]> {
  const { done, token } = access
  const reviews = (await stateOf(access, 'request'))?.context.reviews ?? []
  const tokens = (await stateOf(access, 'grant'))?.context.tokens ?? []
  const lost = [...done]
    .filter((what) => what.startsWith('review '))
    .flatMap((what) => {
      const times = reviews.filter(({ id }) => what === `review ${id}`).length
      return times === 1 ? [] : [`${what} is there ${times} times`]
    })
  const times = tokens.filter(({ id }) => id === token).length
  const isRight = times === 1 || (times === 0 && !done.has('mint'))
  return isRight ? lost : [...lost, `the token is there ${times} times`]
}
