/**
 * Removing people. Members, and people who have not accepted their invitation, are removed by one
 * person. Other staff are removed by two: one proposes it and another confirms it.
 */
import { z } from 'zod'
import { hasRole, staffRoles } from '../../../proto/access/author.ts'
import { reasonText } from '../../../proto/access/common.ts'
import type { PersonView } from '../../../proto/access/people/person.ts'
import { removalTakesTwo } from '../../../proto/access/people/removal.ts'
import { ServiceError } from '../../../proto/errors.ts'
import type { AccessCaller } from '../../routing/auth/access-caller.ts'
import { onlyRoles, steppedUp, type AccessRule } from '../../routing/auth/access-rule.ts'
import type { Route } from '../../routing/route.ts'
import { verbRoute } from '../governance/entity-routes.ts'
import { members, staff, type PeopleRouteDeps } from './forms.ts'

const reasoned = z.strictObject({ reason: reasonText })

interface Rules {
  readonly ofMembers: AccessRule
  readonly ofStaff: AccessRule
}

export const removalRoutes = (deps: PeopleRouteDeps, rules: Rules): readonly Route[] => [
  memberRoute(deps, rules.ofMembers),
  staffRoute(deps, rules.ofStaff),
  confirmRoute(deps),
  withdrawRoute(deps),
]

interface Asked {
  readonly view: PersonView
  readonly caller: AccessCaller
}

/** Refuses to remove one of the last people with a role. */
const keepingLast =
  ({ lastOnes }: PeopleRouteDeps) =>
  ({ view, caller }: Asked, send: () => Promise<PersonView>): Promise<PersonView> =>
    lastOnes.keep(caller, { person: view, keeps: [] }, send)

function memberRoute(deps: PeopleRouteDeps, access: AccessRule): Route {
  return verbRoute(deps, members, {
    suffix: 'remove',
    summary: 'Remove a member: their sessions end, and so does every grant whose subject they are.',
    description:
      'Requires a reason. It cannot be undone; invite them again for a new account. The last owner ' +
      'of a client cannot be removed.',
    access,
    body: reasoned,
    message: ({ reason }, by) => ({ type: 'remove', reason, ...by }),
    around: keepingLast(deps),
  })
}

function staffRoute(deps: PeopleRouteDeps, access: AccessRule): Route {
  return verbRoute(deps, staff, {
    suffix: 'remove',
    summary: 'Propose to remove a member of staff; a second person confirms it.',
    description:
      'Requires a reason. Nothing ends until `confirm-removal`. At once, it removes someone who ' +
      'has not accepted their invitation, and the caller. The last admin and the last two ' +
      'reviewers cannot be removed.',
    access,
    body: reasoned,
    message: ({ reason }, by, view) => {
      const takesTwo = removalTakesTwo(view, by.by, deps.clock.now())
      return { type: takesTwo ? 'propose_removal' : 'remove', reason, ...by }
    },
    around: keepingLast(deps),
  })
}

function confirmRoute(deps: PeopleRouteDeps): Route {
  return verbRoute(deps, staff, {
    suffix: 'confirm-removal',
    summary: 'Confirm a proposed removal, as another admin or reviewer, or as the person.',
    description:
      'Their sessions end, and so does every grant whose subject they are. It cannot be undone.',
    access: steppedUp(onlyRoles(...staffRoles)),
    check: (view, _body, caller) => {
      assertMayConfirm(view, caller)
      const { removal, id } = view
      if (caller.keyId !== id)
        deps.secondPerson.assertIndependent(caller, removal ? [removal.by.id] : [])
    },
    message: (_, by, { removal, version }) => {
      if (removal) return { type: 'remove', reason: removal.reason, ifVersion: version, ...by }
      throw new ServiceError('conflict', 'The removal of this person is not proposed.')
    },
    around: keepingLast(deps),
  })
}

function assertMayConfirm({ id }: PersonView, caller: AccessCaller): void {
  if (caller.kind === 'person') {
    const { person } = caller
    if (person.id === id || hasRole(person, 'admin', 'reviewer')) return
  }
  const message = 'Only an admin, a reviewer or the person can confirm a removal; ask one of them.'
  throw new ServiceError('forbidden', message)
}

function withdrawRoute(deps: PeopleRouteDeps): Route {
  return verbRoute(deps, staff, {
    suffix: 'withdraw-removal',
    summary: 'Withdraw a proposed removal.',
    description: 'By any admin or reviewer but the person; it can be proposed again.',
    access: steppedUp(onlyRoles('admin', 'reviewer')),
    message: (_, by) => ({ type: 'withdraw_removal', ...by }),
  })
}
