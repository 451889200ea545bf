import { z } from 'zod'
import { staffRoles, type AccessRole } from '../../../proto/access/author.ts'
import { reasonText } from '../../../proto/access/common.ts'
import { clientActor } from '../../../proto/access/engagement/client.ts'
import { newAccessId, platformTenant, type Tenant } from '../../../proto/access/ids.ts'
import {
  memberBody,
  personActor,
  staffBody,
  type PersonInput,
  type PersonView,
} from '../../../proto/access/people/person.ts'
import { newSecretText } from '../../../proto/access/people/secret-text.ts'
import type { AccessCaller } from '../../routing/auth/access-caller.ts'
import { onlyRoles, steppedUp, type AccessRule } from '../../routing/auth/access-rule.ts'
import { jsonRoute, type Route } from '../../routing/route.ts'
import { dataJson } from '../../routing/schemas/access-json.ts'
import {
  byAuthor,
  entityRoutes,
  madeHeaders,
  ofId,
  shownTo,
  verbRoute,
} from '../governance/entity-routes.ts'
import { clientFor } from '../governance/request-routes.ts'
import { members, staff, type PeopleForm, type PeopleRouteDeps } from './forms.ts'
import { personData, personJson } from './json.ts'
import { removalRoutes } from './removal-routes.ts'

const invitedJson = dataJson(
  personJson.extend({
    invitation: z.string().describe('For POST /v1/sign-in/invitations. It is shown only once.'),
  }),
)

export function peopleRoutes(deps: PeopleRouteDeps): readonly Route[] {
  const ofMembers = steppedUp(onlyRoles('admin', 'owner'))
  const ofStaff = steppedUp(onlyRoles('admin'))
  return [
    ...entityRoutes(deps, members),
    ...entityRoutes(deps, staff),
    memberRoute(deps, ofMembers),
    staffRoute(deps, ofStaff),
    reinviteRoute(deps, members, ofMembers),
    reinviteRoute(deps, staff, ofStaff),
    resetRoute(deps, members, ofMembers),
    resetRoute(deps, staff, ofStaff),
    rolesRoute(deps, members, ofMembers),
    rolesRoute(deps, staff, ofStaff),
    confirmRoute(deps, members, ofMembers),
    confirmRoute(deps, staff, steppedUp(onlyRoles(...staffRoles))),
    ...removalRoutes(deps, { ofMembers, ofStaff }),
  ]
}

type Invited = Pick<PersonInput, 'tenant' | 'email' | 'name' | 'kind' | 'roles'>

/** Only this answer contains the invitation's text. */
async function invite(deps: PeopleRouteDeps, caller: AccessCaller, invited: Invited) {
  const { governance, names, chain, clock, notes, secondPerson } = deps
  const createdAtMs = clock.now()
  const id = newAccessId('person', createdAtMs)
  await names.take('email', invited.email, id, async (other) => {
    const person = chain.get('person', other)
    return person !== undefined && person.status !== 'removed'
  })
  const { text, hash } = newSecretText('invitation')
  const by = governance.authorOf(caller)
  const waits = secondPerson.forEntry(caller, invited.roles)
  const input = { ...invited, id, createdAtMs, by, invitationHash: hash, ...waits }
  const view = await governance.create(personActor, id, input)
  notes.secretShown(caller, { kind: 'invitation', id })
  return { data: { ...personData(view), invitation: text } }
}

function memberRoute(deps: PeopleRouteDeps, access: AccessRule): Route {
  return jsonRoute({
    method: 'POST',
    path: members.path,
    summary: 'Invite a member of a client.',
    description:
      'Returns the invitation to pass on; it is shown only once. Owners invite to their own ' +
      'client.',
    auth: 'access',
    access,
    makes: true,
    showsSecret: true,
    status: 201,
    body: memberBody,
    response: invitedJson,
    headers: madeHeaders(members.path),
    async handler({ caller, body: { client_id: asked, email, name, roles } }) {
      const tenant: Tenant = clientFor(caller, asked)
      await deps.governance.get(clientActor, caller, tenant)
      return invite(deps, caller, { tenant, email, name, roles, kind: 'member' })
    },
  })
}

function staffRoute(deps: PeopleRouteDeps, access: AccessRule): Route {
  return jsonRoute({
    method: 'POST',
    path: staff.path,
    summary: 'Invite a member of staff.',
    description: 'Returns the invitation to pass on; it is shown only once.',
    auth: 'access',
    access,
    makes: true,
    showsSecret: true,
    status: 201,
    body: staffBody,
    response: invitedJson,
    headers: madeHeaders(staff.path),
    handler: ({ caller, body }) =>
      invite(deps, caller, { tenant: platformTenant, ...body, kind: 'staff' }),
  })
}

function reinviteRoute(deps: PeopleRouteDeps, form: PeopleForm, access: AccessRule): Route {
  const { governance, notes } = deps
  return jsonRoute({
    method: 'POST',
    path: `${form.path}/{id}/reinvite`,
    summary: 'Create a new invitation; the earlier one becomes invalid.',
    description: 'For an invitation that was lost or has expired.',
    auth: 'access',
    access,
    makes: true,
    showsSecret: true,
    needsIfMatch: true,
    status: 201,
    params: ofId,
    response: invitedJson,
    headers: madeHeaders(form.path),
    async handler({ caller, params, request }) {
      const person = await shownTo(governance, form, caller, params.id)
      const { text, hash } = newSecretText('invitation')
      const by = { ...byAuthor(governance, caller, request), ...entryOf(deps, caller, person) }
      const message = { type: 'reinvite', invitationHash: hash, ...by } as const
      const view = await governance.tell(personActor, caller, params.id, message)
      notes.secretShown(caller, { kind: 'invitation', id: params.id })
      return { data: { ...personData(view), invitation: text } }
    },
  })
}

/** Whether it waits that someone gets in as this person. */
const entryOf = (
  { secondPerson }: PeopleRouteDeps,
  caller: AccessCaller,
  { id, roles, awaiting }: PersonView,
) => secondPerson.forEntry(caller, [...roles, ...(awaiting?.roles ?? [])], id)

const resetJson = dataJson(
  personJson.extend({
    reset: z.string().describe('For POST /v1/sign-in/resets, within a day. It is shown only once.'),
  }),
)

/** For people who forgot their password or lost their second factor. */
function resetRoute(deps: PeopleRouteDeps, form: PeopleForm, access: AccessRule): Route {
  const { governance, notes } = deps
  return jsonRoute({
    method: 'POST',
    path: `${form.path}/{id}/reset`,
    summary:
      'Let another person set a new password. Their current credentials stay valid until then.',
    description:
      'Returns the reset to pass on; it is shown only once. You cannot reset your own sign-in.',
    auth: 'access',
    access,
    makes: true,
    showsSecret: true,
    needsIfMatch: true,
    status: 201,
    params: ofId,
    body: z.strictObject({ reason: reasonText }),
    response: resetJson,
    headers: madeHeaders(form.path),
    async handler({ caller, params, body: { reason }, request }) {
      const person = await shownTo(governance, form, caller, params.id)
      const { text, hash } = newSecretText('invitation')
      const by = { ...byAuthor(governance, caller, request), ...entryOf(deps, caller, person) }
      const message = { type: 'reset', resetHash: hash, reason, ...by } as const
      const view = await governance.tell(personActor, caller, params.id, message)
      notes.secretShown(caller, { kind: 'reset', id: params.id })
      return { data: { ...personData(view), reset: text } }
    },
  })
}

function rolesRoute(deps: PeopleRouteDeps, form: PeopleForm, access: AccessRule): Route {
  const roles: z.ZodType<readonly AccessRole[]> = form.roles
  return verbRoute(deps, form, {
    suffix: 'roles',
    summary: 'Replace the roles of another person.',
    description:
      'Takes effect with their next request; their sessions and grants continue. You cannot ' +
      'change your own roles, nor take a role from the last person who has it.',
    access,
    body: z.strictObject({ roles }),
    message: ({ roles }, by, view, caller) => {
      const waits = deps.secondPerson.forRoles(caller, view, roles)
      return { type: 'set_roles', roles, ...by, ...waits }
    },
    around: ({ view, body, caller }, send) =>
      deps.lastOnes.keep(caller, { person: view, keeps: body.roles }, send),
  })
}

function confirmRoute(deps: PeopleRouteDeps, form: PeopleForm, access: AccessRule): Route {
  return verbRoute(deps, form, {
    suffix: 'confirm',
    summary: 'Confirm roles or a reset that wait, as a second person.',
    description:
      'Roles that decide (admin, reviewer, change manager, owner) and resets of people who have ' +
      'them take effect with it. Another admin confirms them, or an owner of the client for a ' +
      'member; of roles that are only taken also a reviewer, or the person. It must be someone ' +
      'independent of the person who asked for them: neither let the other in during the last 30 ' +
      'days.',
    access,
    check: (view, _body, caller) => deps.secondPerson.assertMayConfirm(view, caller),
    // What was checked is what is confirmed, also for any version.
    message: (_, by, { version }) => ({ type: 'confirm', ifVersion: version, ...by }),
    around: ({ view, caller }, send) =>
      deps.lastOnes.keep(caller, { person: view, keeps: view.awaiting?.roles ?? view.roles }, send),
  })
}
