/** Grants: one's own, all, and the tokens that use them. */
import { unknownEntity } from '../../../access/governance/governance.ts'
import { bothSurfaces, type Redirect, type PortalSection } from '../../page.ts'
import type { Visit } from '../../visit.ts'
import { submitGrantDecision, showGrant } from './grant.tsx'
import { showAll, showMine } from './list.tsx'
import { showTokens } from './overview.tsx'
import { makeToken, overlapPage, revokeToken, rotateToken } from './tokens.tsx'

const verbs = ['suspend', 'resume', 'revoke', 'post-review'] as const

export const myAccessSection: PortalSection = {
  group: 'Access',
  nav: [{ label: 'My access', path: '/access', in: bothSurfaces }],
  pages: [{ path: '/access', in: bothSurfaces, show: showMine }],
}

export const grantsSection: PortalSection = {
  group: 'Access',
  nav: [
    { label: 'Grants', path: '/grants', in: bothSurfaces },
    { label: 'Tokens', path: '/tokens', in: ['portal'] },
  ],
  pages: [
    { path: '/grants', in: bothSurfaces, show: showAll },
    { path: '/tokens', in: ['portal'], show: showTokens },
    { path: '/access/{id}', in: bothSurfaces, show: showGrant },
    ...verbs.map((verb) => ({
      ...{ path: `/access/{id}/${verb}`, in: bothSurfaces },
      ...{ submit: submitGrantDecision(verb), again: showGrant },
    })),
    { path: '/access/{id}/tokens', in: bothSurfaces, submit: makeToken, again: showGrant },
    { path: '/tokens/{id}', in: bothSurfaces, show: toGrant },
    { path: '/tokens/{id}/rotate', in: bothSurfaces, submit: rotateToken, again: overlapPage },
    { path: '/tokens/{id}/revoke', in: bothSurfaces, submit: revokeToken },
  ],
}

/** Tokens have no page of their own; this redirects to the grant's. */
function toGrant(visit: Visit): Redirect {
  const id = visit.param('id')
  const grant = visit.list('grant').find(({ tokens }) => tokens.some((token) => token.id === id))
  if (!grant) throw unknownEntity('token')
  return { to: visit.at(`/access/${grant.id}`) }
}
