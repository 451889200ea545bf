/** The managed backlog over REST. People propose and decide; programs with a grant may propose. */
import { z } from 'zod'
import { defined } from '../../../proto/defined.ts'
import { participantsOf } from '../../../proto/access/changes/change-parties.ts'
import { changeBacklog, technicalAreas } from '../../../proto/access/areas/areas.ts'
import {
  changeActor,
  changeReason,
  completeBody,
  scheduleBody,
  type ChangeView,
} from '../../../proto/access/changes/change.ts'
import { changeTemplates } from '../../../proto/access/changes/change-templates.ts'
import {
  changeBody,
  changeKinds,
  changePatch,
  changeRisks,
  changeTerms,
  changeTermsJson,
  changeTermsOf,
  changeTypes,
  type ChangeTerms,
} from '../../../proto/access/changes/change-terms.ts'
import { clientActor } from '../../../proto/access/engagement/client.ts'
import { newAccessId } from '../../../proto/access/ids.ts'
import { reviewBody } from '../../../proto/access/grants/review.ts'
import type { Clock } from '../../../runtime/lib/clock.ts'
import { jsonRoute, type Route } from '../../routing/route.ts'
import { validateInput } from '../../routing/schemas/validate.ts'
import type { Authorizer } from '../gate/authorize.ts'
import { personWith, type AccessCaller } from '../../routing/auth/access-caller.ts'
import { changeData, changeJson, templateData, templateJson } from './json.ts'
import { implementersData, openSlotsData } from '../governance/json/open-slots.ts'
import { dataJson } from '../../routing/schemas/access-json.ts'
import type { References } from '../records/references.ts'
import { anyoneRule, onlyRoles, peopleRule, steppedUp } from '../../routing/auth/access-rule.ts'
import {
  entityRoutes,
  madeHeaders,
  verbRoute,
  type EntityDeps,
} from '../governance/entity-routes.ts'
import type { Approvers } from '../people/approvers.ts'
import type { SecondPerson } from '../people/second-person.ts'
import { clientFor } from '../governance/request-routes.ts'

export interface ChangeRouteDeps extends EntityDeps {
  readonly secondPerson: SecondPerson
  readonly approvers: Approvers
  readonly references: References
  readonly authorizer: Pick<Authorizer, 'authorize'>
  readonly clock: Clock
}

const path = '/v1/changes'
/** Auditors may read, but not propose. */
const proposers = ['admin', 'reviewer', 'operator', 'change_manager', 'owner', 'member'] as const
const implementers = onlyRoles('operator', 'change_manager')
const enumOf = <T extends string>(...values: readonly [T, ...T[]]) => z.enum(values)

const formOf = ({ authorizer, approvers }: ChangeRouteDeps) => ({
  actor: changeActor,
  path,
  noun: 'changes',
  json: changeJson,
  data: (view: ChangeView, caller: AccessCaller) =>
    changeData(view, {
      open_slots: openSlotsData(approvers.ofChange(view), caller),
      ...defined({ implementers: implementersData(approvers.implementersOf(view), caller) }),
    }),
  read: anyoneRule,
  admits: (caller: AccessCaller) => {
    if (caller.kind === 'token') authorizer.authorize(caller, changeBacklog, 'propose')
  },
  /** A program sees only the changes it proposed itself. */
  shows: ({ proposedBy }: ChangeView, caller: AccessCaller) =>
    caller.kind === 'person' || proposedBy.id === caller.grant.id,
  filters: {
    kind: { values: enumOf(...changeKinds), of: ({ terms }: ChangeView) => terms.kind },
    type: { values: enumOf(...changeTypes), of: ({ terms }: ChangeView) => terms.type },
    risk: { values: enumOf(...changeRisks), of: ({ terms }: ChangeView) => terms.risk },
    area: {
      values: enumOf(...technicalAreas),
      of: ({ terms: { work } }: ChangeView) => (work.does === 'nothing' ? undefined : work.on),
    },
    target_id: {
      values: z.string(),
      of: ({ terms: { work } }: ChangeView) => ('id' in work ? work.id : undefined),
    },
    need_id: { values: z.string(), of: ({ terms }: ChangeView) => terms.needId },
    proposed_by: { values: z.string(), of: ({ proposedBy }: ChangeView) => proposedBy.id },
  },
})

export function changeRoutes(deps: ChangeRouteDeps): readonly Route[] {
  const form = formOf(deps)
  return [
    ...entityRoutes(deps, form),
    createRoute(deps, form),
    ...drafting(deps, form),
    ...deciding(deps, form),
    ...doing(deps, form),
    templatesRoute(),
  ]
}

type Form = ReturnType<typeof formOf>

/** Throws `forbidden` if the caller may not propose changes. */
function assertProposer({ admits }: Form, caller: AccessCaller): void {
  if (caller.kind === 'token') admits(caller)
  else personWith(caller, ...proposers)
}

function createRoute(deps: ChangeRouteDeps, form: Form): Route {
  const { governance, references, clock } = deps
  return jsonRoute({
    method: 'POST',
    path,
    summary: 'Draft a change. Propose it to have it reviewed.',
    description:
      'States what is written and where, how it is tested and rolled back, and its risk.',
    auth: 'access',
    access: anyoneRule,
    makes: true,
    status: 201,
    body: changeBody,
    response: dataJson(changeJson),
    headers: madeHeaders(path),
    async handler({ caller, body: { client_id: asked, ...body } }) {
      assertProposer(form, caller)
      const tenant = clientFor(caller, asked)
      await governance.get(clientActor, caller, tenant)
      const terms = changeTermsOf(body)
      await references.change(tenant, terms)
      const createdAtMs = clock.now()
      const id = newAccessId('change', createdAtMs)
      const by = governance.authorOf(caller)
      const input = { id, tenant, createdAtMs, by, terms }
      return { data: form.data(await governance.create(changeActor, id, input), caller) }
    },
  })
}

/** Applies a patch to the terms of a draft; null removes a field. */
function revisedTerms(terms: ChangeTerms, patch: z.output<typeof changePatch>): ChangeTerms {
  const body: Record<string, unknown> = { ...changeTermsJson(terms) }
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined) continue
    // A `patch` of null has a meaning of its own: it removes the target record.
    if (value === null && name !== 'patch') delete body[name]
    else body[name] = name === 'window' ? jsonOf(patch.window) : value
  }
  return changeTermsOf(
    validateInput(changeTerms, body, 'body', true) as z.output<typeof changeTerms>,
  )
}

const jsonOf = (window: z.output<typeof changePatch>['window']) =>
  window && { start: new Date(window.start).toISOString(), end: new Date(window.end).toISOString() }

function drafting(deps: ChangeRouteDeps, form: Form): readonly Route[] {
  return [
    verbRoute(deps, form, {
      suffix: '',
      method: 'PATCH',
      summary: 'Update a draft or a returned change. Its earlier reviews become invalid.',
      description: 'A merge patch.',
      access: anyoneRule,
      body: changePatch,
      async check({ tenant, terms }, body, caller) {
        assertProposer(form, caller)
        await deps.references.change(tenant, revisedTerms(terms, body))
      },
      message: (body, by, { terms }) => ({
        type: 'revise',
        terms: revisedTerms(terms, body),
        ...by,
      }),
    }),
    verbRoute(deps, form, {
      suffix: 'propose',
      summary:
        'Propose a change: it is checked against its target, and its reviewers are determined.',
      description:
        'From then on, its content is fixed. `open_slots` and `implementers` say who can approve and ' +
        'implement it, or what to do if nobody can.',
      access: anyoneRule,
      untilSettled: true,
      check: async (_, __, caller) => assertProposer(form, caller),
      message: (_, by, view) => ({
        ...{ type: 'propose', ...by },
        ...defined({ staffing: deps.approvers.forChange(view) }),
      }),
    }),
    verbRoute(deps, form, {
      suffix: 'cancel',
      summary:
        'Cancel a change that has not started, as its proposer, a change manager or an owner.',
      description:
        'Requires a reason. A change that has started is completed or reported as failed instead.',
      access: anyoneRule,
      body: changeReason,
      check: async (_, __, caller) => assertProposer(form, caller),
      message: ({ reason }, by) => ({ type: 'cancel', reason, ...by }),
    }),
  ]
}

function deciding(deps: ChangeRouteDeps, form: Form): readonly Route[] {
  return [
    verbRoute(deps, form, {
      suffix: 'reviews',
      summary: 'Review the change with this digest: approve, deny, or request changes.',
      description: 'Requires a reason. The proposer cannot review it.',
      access: steppedUp(onlyRoles('change_manager', 'owner')),
      body: reviewBody,
      check: (view, _, caller) => deps.secondPerson.assertIndependent(caller, participantsOf(view)),
      // What was checked is what is reviewed, also for any version.
      message: (body, by, { version }) => ({
        ...{ type: 'review', reviewId: newAccessId('review'), ifVersion: version },
        ...{ ...body, ...by },
      }),
    }),
    verbRoute(deps, form, {
      suffix: 'post-review',
      summary:
        'Review a completed emergency change, as a change manager or owner who was not involved in it.',
      description: 'Requires a reason. Emergency changes are reviewed again afterwards.',
      access: steppedUp(onlyRoles('change_manager', 'owner')),
      body: changeReason,
      check: (view, _, caller) => deps.secondPerson.assertIndependent(caller, participantsOf(view)),
      message: ({ reason }, by) => ({ type: 'post_review', reason, ...by }),
    }),
  ]
}

function doing(deps: ChangeRouteDeps, form: Form): readonly Route[] {
  return [
    verbRoute(deps, form, {
      suffix: 'schedule',
      summary:
        'Schedule an approved change; no other change can have the same target at that time.',
      description: 'If `window` is absent, the window that the change names is used.',
      access: implementers,
      body: scheduleBody,
      untilSettled: true,
      message: ({ window }, by) => ({
        type: 'schedule',
        ...(window && { window: { startMs: window.start, endMs: window.end } }),
        ...by,
      }),
    }),
    verbRoute(deps, form, {
      suffix: 'start',
      summary: 'Start a change in its window, as a person who has not approved it.',
      description: 'Refused outside the window.',
      access: implementers,
      message: (_, by) => ({ type: 'start', ...by }),
    }),
    verbRoute(deps, form, {
      suffix: 'complete',
      summary: 'Report that a change was carried out, with evidence. Its target is then written.',
      description:
        'If the target has changed since the change was proposed, nothing is written (409).',
      access: implementers,
      body: completeBody,
      untilSettled: true,
      message: (body, by) => ({ type: 'complete', ...body, ...by }),
    }),
    ...(['fail', 'roll-back'] as const).map((suffix) =>
      verbRoute(deps, form, {
        suffix,
        summary:
          suffix === 'fail'
            ? 'Report that a change has failed. Nothing is written.'
            : 'Report that a failed change was rolled back.',
        description: 'Requires a reason: what was observed.',
        access: implementers,
        body: changeReason,
        message: ({ reason }, by) => ({
          type: suffix === 'fail' ? 'fail' : 'roll_back',
          reason,
          ...by,
        }),
      }),
    ),
  ]
}

const templatesRoute = (): Route =>
  jsonRoute({
    method: 'GET',
    path: '/v1/change-templates',
    summary: 'List standard changes: what each may write, and who approved it.',
    description: 'Templates for recurring work, approved in advance.',
    auth: 'access',
    access: peopleRule,
    response: dataJson(z.array(templateJson)),
    handler: () => ({ data: changeTemplates.map(templateData) }),
  })
