// Goal: a request without a valid basis, or for more than exists, is not submitted: its submitter
// is told what is wrong and where.
import t from 'tap'
import { clientActor } from '../../../../../proto/access/engagement/client.ts'
import { dayMs } from '../../../../../proto/units.ts'
import { needActor } from '../../../../../proto/access/engagement/need.ts'
import { personActor } from '../../../../../proto/access/people/person.ts'
import { requestActor, type RequestTerms } from '../../../../../proto/access/grants/request.ts'
import { scopeActor } from '../../../../../proto/access/engagement/scope.ts'
import { AccessStage, errorOf } from '../../../../helpers/access/actors/stage.ts'
import {
  accessIdOf,
  admin,
  asker,
  because,
  client,
  draft,
  mine,
  need,
  scope,
  scopeTerms,
  subjectId,
  submit,
  termsAt,
} from '../../../../helpers/access/actors/story.ts'

const hourMs = 60 * 60_000
const writing = [{ area: 'tasks', actions: ['read', 'write'] }] as const

interface Refused {
  readonly of: string
  readonly more: Partial<RequestTerms> | ((nowMs: number) => Partial<RequestTerms>)
  readonly type: string
  readonly pointers?: readonly string[]
  readonly after?: (stage: AccessStage) => Promise<unknown>
}

const now = (stage: AccessStage) => stage.clock.now()
const to = (stage: AccessStage) => stage.directory

const refused: readonly Refused[] = [
  {
    of: 'an action beyond the scope',
    more: { permissions: [{ area: 'contacts', actions: ['read', 'delete'] }] },
    type: 'not_in_scope',
    pointers: ['/permissions/0/actions'],
  },
  {
    of: 'an area beyond the scope',
    more: { permissions: [{ area: 'reports', actions: ['read'] }] },
    type: 'not_in_scope',
    pointers: ['/permissions/0/area'],
  },
  {
    of: 'a path beyond the scope',
    more: { path: 'reports' },
    type: 'not_in_scope',
    pointers: ['/path'],
  },
  {
    of: 'a narrowed scope',
    more: { permissions: writing },
    after: (stage) => {
      const terms = {
        ...scopeTerms(now(stage)),
        areas: [{ area: 'tasks', actions: ['read'] }] as const,
      }
      return to(stage).ask(scopeActor, scope, { type: 'revise', by: admin, terms }, mine)
    },
    type: 'not_in_scope',
    pointers: ['/permissions/0/actions'],
  },
  {
    of: 'an action that technical areas do not have',
    more: { permissions: [{ area: 'domains', actions: ['write'] }] },
    type: 'validation_failed',
    pointers: ['/permissions/0/actions'],
  },
  {
    of: 'an end after the need',
    more: (nowMs) => ({ endsAtMs: nowMs + 200 * dayMs, startsAtMs: nowMs + 100 * dayMs }),
    after: async (stage) => {
      const later = accessIdOf('need', 2)
      const born = { tenant: client, by: admin, createdAtMs: now(stage) }
      await to(stage).create(
        needActor,
        later,
        {
          ...born,
          id: later,
          title: 'A short need',
          purpose: 'It is over before the access would be.',
          category: 'support',
          reference: { kind: 'ticket', id: 'T-2' },
          ownerId: accessIdOf('person', 3),
          expectedEndAtMs: now(stage) + dayMs,
        },
        mine,
      )
    },
    type: 'validation_failed',
    pointers: ['/ends_at'],
  },
  {
    of: 'an end in the past',
    more: (nowMs) => ({ endsAtMs: nowMs }),
    type: 'validation_failed',
    pointers: ['/ends_at'],
  },
  {
    of: 'an end before its beginning',
    more: (nowMs) => ({ startsAtMs: nowMs + 2 * dayMs }),
    type: 'validation_failed',
    pointers: ['/ends_at'],
  },
  {
    of: 'more than a year',
    more: (nowMs) => ({ endsAtMs: nowMs + 365 * dayMs + 60_000 }),
    type: 'validation_failed',
    pointers: ['/ends_at'],
  },
  {
    of: 'an emergency of more than 4 hours',
    more: (nowMs) => ({ emergency: true, endsAtMs: nowMs + 4 * hourMs + 60_000 }),
    type: 'validation_failed',
    pointers: ['/ends_at'],
  },
  {
    of: 'an emergency that renews',
    more: (nowMs) => ({
      emergency: true,
      endsAtMs: nowMs + hourMs,
      renewsGrantId: accessIdOf('grant', 9),
    }),
    type: 'validation_failed',
    pointers: ['/renews_grant_id'],
  },
  {
    of: 'a scope that is not there',
    more: { scopeId: accessIdOf('scope', 9) },
    type: 'validation_failed',
    pointers: ['/scope_id'],
  },
  {
    of: 'a need that is not there',
    more: { needId: accessIdOf('need', 9) },
    type: 'validation_failed',
    pointers: ['/need_id'],
  },
  {
    of: 'a subject who is not there',
    more: { subject: { kind: 'person', id: accessIdOf('person', 99) } },
    type: 'validation_failed',
    pointers: ['/subject/id'],
  },
  {
    of: 'a subject of another client',
    more: { subject: { kind: 'person', id: accessIdOf('person', 98) } },
    after: (stage) => {
      const id = accessIdOf('person', 98)
      const tenant = accessIdOf('client', 2)
      const who = { email: 'x@other.test', name: 'X', kind: 'member', roles: ['member'] } as const
      const born = { by: admin, createdAtMs: now(stage), invitationHash: '0'.repeat(64) }
      return to(stage).create(personActor, id, { id, tenant, ...born, ...who }, { tenant })
    },
    type: 'validation_failed',
    pointers: ['/subject/id'],
  },
  {
    of: 'a subject who was removed',
    more: {},
    after: (stage) =>
      to(stage).ask(personActor, subjectId, { type: 'remove', by: admin, reason: because }),
    type: 'validation_failed',
    pointers: ['/subject/id'],
  },
  {
    of: 'a closed need',
    more: {},
    after: (stage) =>
      to(stage).ask(needActor, need, { type: 'close', by: asker, reason: because }, mine),
    type: 'conflict',
  },
  {
    of: 'a retired scope',
    more: {},
    after: (stage) =>
      to(stage).ask(scopeActor, scope, { type: 'retire', by: admin, reason: because }, mine),
    type: 'conflict',
  },
  {
    of: 'a suspended client',
    more: {},
    after: (stage) =>
      to(stage).ask(clientActor, client, { type: 'suspend', by: admin, reason: because }, mine),
    type: 'conflict',
  },
]

for (const { of, more, type, pointers, after } of refused) {
  t.test(`submitted with ${of}, it stays a draft and says why`, async (t) => {
    const stage = await AccessStage.begin()
    if (after) await stage.until(after(stage))
    const own = typeof more === 'function' ? more(now(stage)) : more
    const short = of === 'an end after the need' ? { needId: accessIdOf('need', 2) } : {}
    const terms = termsAt(now(stage), { ...own, ...short })
    const id = await stage.until(draft(to(stage), 1, now(stage), terms))
    const error = await errorOf(stage.until(submit(to(stage), id)))
    t.equal(error.type, type)
    if (pointers) t.strictSame(error.details['pointers'], pointers)
    const { view } = await stage.until(to(stage).ask(requestActor, id, { type: 'get' }, mine))
    t.match(view, { status: 'draft', message: error.message, digest: null, policy: null })
  })
}
