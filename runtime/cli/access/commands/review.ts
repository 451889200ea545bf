import { digestOf } from '../../../../proto/access/digest.ts'
import { requestTerms, requestTermsOf } from '../../../../proto/access/grants/request.ts'
import { CommandFailed, UsageError, type CliCommand } from '../../command.ts'
import { confirm } from '../../terminal/confirm.ts'
import { baseVariable } from '../../service-base.ts'
import { requestAnswer, scopeAnswer, type RequestAnswer } from '../service/answers.ts'
import { changeAnswer, changeAsText } from '../service/change-text.ts'
import { getChange, getRequest, entityKindOf } from '../service/entities.ts'
import { dataOf } from '../service/service.ts'
import { ServiceSession } from '../people/service-session.ts'
import { requestText, scopeText } from '../service/texts.ts'

const decisions = ['approve', 'deny', 'request-changes'] as const
type Decision = (typeof decisions)[number]

export const reviewCommand: CliCommand = {
  usage: 'access review ID approve|deny|request-changes --reason TEXT [--yes]',
  about: 'Decide on an access request or a change: show exactly what is decided on, and confirm.',
  more:
    'The decision names the digest and the version of what was shown, so it is refused when the ' +
    'request has changed meanwhile. For a service scope, approve confirms the proposal as a second ' +
    'admin, and request-changes returns it.',
  arguments: [2, 2],
  options: {
    reason: { value: 'TEXT', required: true, help: 'Why, for later readers of the audit.' },
    yes: { help: 'Do not ask.' },
  },
  settings: ['DATA_DIR'],
  variables: baseVariable,
  examples: ['troupe access review acr_… approve --reason "agreed with the client on Monday"'],
  async run({ args: [id = '', word = ''], values: { reason = '' }, switches }) {
    const decision = decisions.find((one) => one === word)
    if (!decision) throw new UsageError(`"${word}" is not one of ${decisions.join(', ')}`)
    const order = { id, decision, reason, isSure: switches.has('yes') }
    const service = ServiceSession.open()
    const kind = entityKindOf(id)
    if (kind === 'request') console.log(await reviewRequest(service, order))
    else if (kind === 'change') console.log(await reviewChange(service, order))
    else if (kind === 'scope') console.log(await reviewScope(service, order))
    else
      throw new UsageError('a review is of a request (acr_…), a change (chg_…) or a scope (scp_…)')
    return 0
  },
}

interface Order {
  readonly id: string
  readonly decision: Decision
  readonly reason: string
  readonly isSure: boolean
}

async function reviewRequest(service: ServiceSession, order: Order): Promise<string> {
  const { id, reason } = order
  const request = await getRequest(service, id)
  const { digest, version } = request
  if (digest === null) throw new CommandFailed(`${id} is ${request.status}: nothing to review yet`)
  if (digestToSign(request) !== digest) {
    throw new CommandFailed(
      `the digest of ${id} does not match what the service shows; do not decide`,
    )
  }
  await ask(requestText(request), order)
  const { status, grant_id: grant } = await service.call({
    method: 'POST',
    path: `/v1/access-requests/${id}/reviews`,
    version,
    body: { decision: wordOf(order), reason, digest },
    answer: dataOf(requestAnswer),
  })
  return `${id} is ${status}${grant === undefined ? '' : `: grant ${grant}`}`
}

async function reviewChange(service: ServiceSession, order: Order): Promise<string> {
  const { id, reason } = order
  const change = await getChange(service, id)
  const { shown, digest, version } = change
  if (digest === null) throw new CommandFailed(`${id} is ${change.status}: nothing to review yet`)
  if (digestOf(shown) !== digest) {
    throw new CommandFailed(
      `the digest of ${id} does not match what the service shows; do not decide`,
    )
  }
  await ask(changeAsText(change), order)
  const { status } = await service.call({
    method: 'POST',
    path: `/v1/changes/${id}/reviews`,
    version,
    body: { decision: wordOf(order), reason, digest },
    answer: dataOf(changeAnswer),
  })
  return `${id} is ${status}`
}

const wordOf = ({ decision }: Order) =>
  decision === 'request-changes' ? 'request_changes' : decision

async function reviewScope(service: ServiceSession, order: Order): Promise<string> {
  const { id, decision, reason } = order
  if (decision === 'deny') throw new UsageError('a service scope can be approved or returned')
  const answer = dataOf(scopeAnswer)
  const path = `/v1/service-scopes/${id}`
  const scope = await service.call({ method: 'GET', path, answer })
  if (scope.digest === null) throw new CommandFailed(`${id} has no waiting proposal`)
  await ask(scopeText(scope), order)
  const { status } = await service.call({
    method: 'POST',
    path: `${path}/${decision === 'approve' ? 'confirm' : 'return'}`,
    version: scope.version,
    body: decision === 'approve' ? { digest: scope.digest } : { reason },
    answer,
  })
  return `${id} is ${status}`
}

async function ask(shown: string, { decision, isSure }: Order): Promise<void> {
  console.error(`${shown}\n`)
  if (isSure || (await confirm(`${decision}?`))) return
  throw new CommandFailed('it was not confirmed, so nothing has changed')
}

/**
 * The digest of what is on the screen: a reviewer signs that, and does not rely on the service's
 * hash.
 */
export function digestToSign(request: RequestAnswer): string | undefined {
  const { shown, policy, requested_by: by } = request
  const { scope_id, need_id, path, subject, permissions, cidrs, justification } = request
  const { starts_at, ends_at, emergency, renews_grant_id } = request
  const asked = { scope_id, need_id, path, subject, permissions, cidrs, justification }
  const more = { ...(starts_at && { starts_at }), ...(renews_grant_id && { renews_grant_id }) }
  const terms = requestTerms.safeParse({ ...asked, ends_at, emergency, ...more })
  if (!shown || !policy || !terms.success) return undefined
  return digestOf({
    ...shown,
    requestedBy: { kind: by.kind, id: by.id },
    terms: requestTermsOf(terms.data),
    rules: policy.rules,
    slots: policy.slots,
  })
}
