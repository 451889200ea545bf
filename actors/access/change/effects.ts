/**
 * The effects of a change: the check of a proposal, its window, and the write when it completes.
 */
import { systemAuthor } from '../../../proto/access/author.ts'
import type { ChangeDocument } from '../../../proto/access/changes/change.ts'
import { changeTermsJson, customAccess } from '../../../proto/access/changes/change-terms.ts'
import { changeTemplate } from '../../../proto/access/changes/change-templates.ts'
import { clientActor, type ClientView } from '../../../proto/access/engagement/client.ts'
import { customIdOf } from '../../../proto/access/changes/custom.ts'
import { digestOf } from '../../../proto/access/digest.ts'
import { needActor, type NeedView } from '../../../proto/access/engagement/need.ts'
import { isGone } from '../../../proto/errors.ts'
import type { EffectHandlers, OutcomeOf } from '../../../runtime/actor/actor-kind.ts'
import { assertInForce, assertExists } from '../common/basis.ts'
import { asRetryable } from '../common/citations.ts'
import type { AccessEffectDeps } from '../common/deps.ts'
import { applyChange } from './apply/apply.ts'
import type { changeMachine, ChangeEffects } from './machine.ts'
import { changeReviewSubject } from './parties.ts'
import { changePolicy } from './policy.ts'
import { inspectTarget } from './apply/targets.ts'
import type { ChangeContext } from './context.ts'
import type { ChangeEffectDeps } from './deps.ts'

type Outcome = OutcomeOf<typeof changeMachine>
type Handlers = EffectHandlers<ChangeEffects, ChangeContext, Outcome>

export function changeEffects(deps: ChangeEffectDeps): Handlers {
  return {
    check: (_, { state }) => check(deps, state),
    book: (_, { state }) => book(deps, state),
    unbook: (_, { state }) => unbook(deps, state),
    apply: (_, { state }) => apply(deps, state),
  }
}

async function check(deps: ChangeEffectDeps, change: ChangeContext): Promise<Outcome> {
  const { terms, createdBy } = change
  const { client, need } = await readBasisOfChange(deps, change)
  const seen = await inspectTarget(deps, change)
  const { parties } = changeReviewSubject(change)
  const { rules, slots } = changePolicy(terms, change.staffing, parties)
  const template = terms.templateId === undefined ? undefined : changeTemplate(terms.templateId)
  const shown: ChangeDocument = {
    client: { id: client.id, name: client.name },
    need: { id: need.id, title: need.title, purpose: need.purpose },
    proposed_by: { kind: createdBy.kind, id: createdBy.id },
    change: changeTermsJson(terms),
    ...(template && {
      template: { id: template.id, title: template.title, approval: template.approval },
    }),
    rules,
    slots,
  }
  return { type: 'checked', shown, digest: digestOf(shown), seen }
}

interface Around {
  readonly client: ClientView
  readonly need: NeedView
}

/** Throws if the client is not served or the need has ended. */
async function readBasisOfChange(
  { directory }: AccessEffectDeps,
  { tenant, terms }: ChangeContext,
): Promise<Around> {
  const mine = { tenant }
  const get = { type: 'get' } as const
  const client = await assertExists('/client_id', directory.ask(clientActor, tenant, get, mine))
  const need = await assertExists('/need_id', directory.ask(needActor, terms.needId, get, mine))
  assertInForce('client', client.view.status, client.view.status === 'active')
  assertInForce('need', need.view.status, need.view.status !== 'closed')
  return { client: client.view, need: need.view }
}

/**
 * The target that two changes must not work on at once; undefined for a new object, which no other
 * change can know.
 */
function changeTargetKey({ tenant, terms: { work } }: ChangeContext): string | undefined {
  if (work.does === 'nothing') return undefined
  if (work.does !== 'create') return `${work.on}.${work.id}`
  const { slug } = work.patch
  if (work.on !== customAccess || typeof slug !== 'string') return undefined
  return `${work.on}.${customIdOf(tenant, slug)}`
}

async function book(deps: ChangeEffectDeps, change: ChangeContext): Promise<Outcome> {
  await readBasisOfChange(deps, change)
  const { id: changeId, tenant, wanted } = change
  const target = changeTargetKey(change)
  if (target !== undefined && wanted) {
    const message = { type: 'book', changeId, target, ...wanted } as const
    await deps.directory.ask(clientActor, tenant, message, { tenant })
  }
  return { type: 'booked' }
}

async function unbook({ directory }: ChangeEffectDeps, change: ChangeContext): Promise<void> {
  const { id: changeId, tenant } = change
  if (changeTargetKey(change) === undefined) return
  try {
    await directory.ask(clientActor, tenant, { type: 'unbook', changeId }, { tenant })
  } catch (error) {
    if (!isGone(error)) throw asRetryable(error)
  }
}

/** Retries on exhausted limits, because they free up and must not undo people's decisions. */
async function apply(deps: ChangeEffectDeps, change: ChangeContext): Promise<Outcome> {
  try {
    const by = change.result?.by ?? systemAuthor('change')
    return await applyChange(deps, change, by)
  } catch (error) {
    throw asRetryable(error)
  }
}
