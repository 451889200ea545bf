/** Grants: one's own, all, and the tokens that use them. */
import { unknown } from '../../../access/governance.ts'
import { everywhere, type Elsewhere, type Section } from '../../page.ts'
import type { Visit } from '../../visit.ts'
import { decide, showGrant } from './grant.tsx'
import { showAll, showMine } from './list.tsx'
import { showTokens } from './overview.tsx'
import { makeToken, overlapPage, revokeToken, rotateToken } from './tokens.tsx'

const verbs = ['suspend', 'resume', 'revoke', 'post-review'] as const

export const myAccess: Section = {
  group: 'Access',
  nav: [{ label: 'My access', path: '/access', in: everywhere }],
  pages: [{ path: '/access', in: everywhere, show: showMine }],
}

export const grants: Section = {
  group: 'Access',
  nav: [
    { label: 'Grants', path: '/grants', in: everywhere },
    { label: 'Tokens', path: '/tokens', in: ['portal'] },
  ],
  pages: [
    { path: '/grants', in: everywhere, show: showAll },
    { path: '/tokens', in: ['portal'], show: showTokens },
    { path: '/access/{id}', in: everywhere, show: showGrant },
    ...verbs.map((verb) => ({
      ...{ path: `/access/{id}/${verb}`, in: everywhere },
      ...{ submit: decide(verb), again: showGrant },
    })),
    { path: '/access/{id}/tokens', in: everywhere, submit: makeToken, again: showGrant },
    { path: '/tokens/{id}', in: everywhere, show: toGrant },
    { path: '/tokens/{id}/rotate', in: everywhere, submit: rotateToken, again: overlapPage },
    { path: '/tokens/{id}/revoke', in: everywhere, submit: revokeToken },
  ],
}

/** Tokens have no page of their own; this redirects to the grant's. */
function toGrant(visit: Visit): Elsewhere {
  const id = visit.param('id')
  const grant = visit.list('grant').find(({ tokens }) => tokens.some((token) => token.id === id))
  if (!grant) throw unknown('token')
  return { to: visit.at(`/access/${grant.id}`) }
}
