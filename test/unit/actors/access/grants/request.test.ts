// Goal: a request becomes a grant by exactly the reviews that its frozen policy requires, each of
// exactly what was shown, by people without a part in it, and in no other way.
import t from 'tap'
import { grantIdOf } from '../../../../../actors/access/request/machine.ts'
import type { Author } from '../../../../../proto/access/author.ts'
import { digestOf } from '../../../../../proto/access/digest.ts'
import { grantActor } from '../../../../../proto/access/grants/grant.ts'
import { dayMs } from '../../../../../proto/units.ts'
import { needActor } from '../../../../../proto/access/engagement/need.ts'
import {
  requestActor,
  type RequestTerms,
  type RequestView,
} from '../../../../../proto/access/grants/request.ts'
import type { Review } from '../../../../../proto/access/grants/review.ts'
import { scopeActor } from '../../../../../proto/access/engagement/scope.ts'
import { ServiceError } from '../../../../../proto/errors.ts'
import { AccessStage, errorOf, typeOf } from '../../../../helpers/access/actors/stage.ts'
import {
  accessIdOf,
  admin,
  asker,
  because,
  client,
  draft,
  mine,
  need,
  owner,
  reviewers,
  reviewOf,
  scope,
  scopeTerms,
  secondAdmin,
  settled,
  subjectId,
  submit,
  termsAt,
} from '../../../../helpers/access/actors/story.ts'

const [first, second, third] = reviewers
const writing = [{ area: 'tasks', actions: ['read', 'write'] }] as const

/** One request, with short methods for the commands to it. */
async function begin(more: Partial<RequestTerms> = {}, stage?: AccessStage) {
  const on = stage ?? (await AccessStage.begin())
  const { directory, clock } = on
  const n = (await on.history('request', accessIdOf('request', 1))).length > 0 ? 2 : 1
  const terms = termsAt(clock.now(), more)
  const id = await on.until(draft(directory, n, clock.now(), terms))
  const done = <T>(work: Promise<T>) => on.until(work)
  return {
    stage: on,
    id,
    terms,
    submit: (by?: Author) => done(submit(directory, id, by)),
    get: async () => (await done(directory.ask(requestActor, id, { type: 'get' }, mine))).view,
    review: async (by: Author, seen: RequestView, decision?: Review['decision']) =>
      (await done(directory.ask(requestActor, id, reviewOf(by, seen.digest, decision), settled)))
        .view,
    revise: async (changed: Partial<RequestTerms>, by = asker) => {
      const message = { type: 'revise', by, terms: { ...terms, ...changed } } as const
      return (await done(directory.ask(requestActor, id, message, mine))).view
    },
    withdraw: async (by = asker) =>
      (await done(directory.ask(requestActor, id, { type: 'withdraw', by }, mine))).view,
    grant: async () =>
      (await done(directory.ask(grantActor, grantIdOf(id), { type: 'get' }, settled))).view,
  }
}

t.test('reviewed by staff and the owner, it becomes a grant that is open', async (t) => {
  const { submit, review, grant, terms, id } = await begin()
  const pending = await submit()
  t.match(pending, { status: 'pending', policy: { rules: ['R1', 'R2'] } })
  t.equal(pending.digest, digestOf(pending.shown), 'the digest is that of what is shown')
  t.match(pending.shown, { client: { name: 'Acme' }, subject: { name: 'Sub Ject' }, terms })
  t.equal((await review(first, pending)).status, 'pending')
  t.match(await review(owner, pending), { status: 'fulfilled', grantId: grantIdOf(id) })
  const { approvers, ...rest } = await grant()
  t.match(rest, { status: 'active', requestId: id, requestedBy: { id: asker.id } })
  t.strictSame(
    approvers.map((approver) => [approver.id, approver.slot]),
    [
      [first.id, 'staff_reviewer'],
      [owner.id, 'client_owner'],
    ],
  )
})

t.test('a refused submission is submitted again after a revision', async (t) => {
  const { submit, revise, get } = await begin({ path: 'reports' })
  t.equal(await typeOf(submit()), 'not_in_scope')
  const { version } = await get()
  t.equal((await revise({ path: 'api' })).version, version + 1)
  t.equal((await revise({ path: 'api' })).version, version + 1, 'the same terms are no new version')
  const pending = await submit()
  t.equal(pending.status, 'pending')
  t.notOk(pending.message)
})

t.test('only the requester revises, submits and withdraws', async (t) => {
  const { submit, revise, withdraw } = await begin()
  t.equal(await typeOf(revise({ path: 'portal' }, first)), 'forbidden')
  t.equal(await typeOf(submit(first)), 'forbidden')
  await submit()
  t.equal(await typeOf(withdraw(owner)), 'forbidden')
  t.equal((await withdraw()).status, 'withdrawn')
})

t.test('nobody reviews their own request, twice, or without the role', async (t) => {
  const { submit, review } = await begin({ permissions: writing })
  const pending = await submit()
  const self: Author = { ...asker, roles: ['reviewer'] }
  const subject: Author = { kind: 'staff', id: subjectId, roles: ['reviewer'] }
  t.equal(await typeOf(review(self, pending)), 'self_review')
  t.equal(await typeOf(review(subject, pending)), 'self_review')
  t.equal(await typeOf(review(secondAdmin, pending)), 'not_a_reviewer', 'an admin is no reviewer')
  t.equal(await typeOf(review(owner, pending)), 'not_a_reviewer', 'no slot is for an owner')
  const machine: Author = { kind: 'integration', id: accessIdOf('grant', 1), roles: ['reviewer'] }
  t.equal(await typeOf(review(machine, pending)), 'not_a_reviewer')
  t.equal((await review(first, pending)).status, 'pending')
  t.equal(await typeOf(review(first, pending)), 'already_reviewed', 'a second slot is for another')
  t.equal((await review(second, pending)).status, 'fulfilled')
})

t.test('a filled slot is not filled again', async (t) => {
  const { submit, review } = await begin()
  const pending = await submit()
  await review(first, pending)
  t.equal(await typeOf(review(second, pending)), 'not_a_reviewer', 'the owner is still missing')
  t.equal((await review(owner, pending)).status, 'fulfilled')
})

t.test('one denial is enough', async (t) => {
  const { submit, review, grant } = await begin({ permissions: writing })
  const pending = await submit()
  await review(first, pending)
  t.match(await review(second, pending, 'deny'), { status: 'denied', message: because })
  t.equal(await typeOf(grant()), 'not_found')
  const late = await errorOf(review(third, pending))
  t.equal(late.type, 'invalid_transition')
  t.strictSame(late.details, { status: 'denied', allowed: [] })
})

t.test('a withdrawn or expired request accepts no review', async (t) => {
  const withdrawn = await begin()
  const seen = await withdrawn.submit()
  await withdrawn.withdraw()
  t.equal(await typeOf(withdrawn.review(first, seen)), 'invalid_transition')
  const expired = await begin({ endsAtMs: Date.UTC(2030, 1, 1) })
  const pending = await expired.submit()
  await expired.stage.timeline.run(7 * dayMs + 60_000)
  t.equal((await expired.get()).status, 'expired')
  t.equal(await typeOf(expired.review(first, pending)), 'invalid_transition')
})

t.test('edited after it was shown, it is not approved by the old digest', async (t) => {
  const { submit, revise, review, grant } = await begin({ permissions: writing })
  const seen = await submit()
  await review(first, seen)
  t.equal((await review(second, seen, 'request_changes')).status, 'returned')
  await revise({ permissions: [{ area: 'tasks', actions: ['read', 'write', 'delete'] }] })
  const changed = await submit()
  t.not(changed.digest, seen.digest)
  t.ok(
    changed.reviews.every(({ isVoid }) => isVoid),
    'the reviews so far are void',
  )
  t.equal(await typeOf(review(third, seen)), 'precondition_failed')
  t.equal((await review(first, changed)).status, 'pending', 'who reviewed before does so again')
  t.equal(await typeOf(grant()), 'not_found')
  const done = await review(third, changed)
  t.match(done, { status: 'fulfilled' })
  t.equal(done.reviews.length, 4, 'all are kept')
  t.strictSame(
    (await grant()).approvers.map(({ id }) => id),
    [first.id, third.id],
  )
})

t.test('a command that names another version is refused', async (t) => {
  const { stage, id, submit } = await begin()
  const { version, digest } = await submit()
  const stale = { ...reviewOf(first, digest), ifVersion: version - 1 }
  const error = await errorOf(stage.until(stage.directory.ask(requestActor, id, stale, mine)))
  t.equal(error.type, 'precondition_failed')
  t.equal(error.details['version'], version)
  const right = { ...reviewOf(first, digest), ifVersion: version }
  t.equal(
    await typeOf(stage.until(stage.directory.ask(requestActor, id, right, mine))),
    'fulfilled',
  )
})

t.test('a policy loosened meanwhile still needs the frozen reviews', async (t) => {
  const { stage, submit, review } = await begin({ permissions: writing })
  const pending = await submit()
  stage.policy = () => ({ rules: ['R1'], slots: [{ role: 'staff_reviewer', count: 1 }] })
  t.equal((await review(first, pending)).status, 'pending')
  t.equal((await review(second, pending)).status, 'fulfilled')
  const next = await begin({ permissions: writing }, stage)
  const eased = await next.submit()
  t.equal((await next.review(first, eased)).status, 'fulfilled', 'the next one is judged by it')
})

t.test('a sole operator approves alone, and it is marked', async (t) => {
  const { submit, review } = await begin({ permissions: writing })
  const pending = await submit()
  const alone: Author = { ...asker, singleOperator: true }
  const { status, reviews } = await review(alone, pending)
  t.equal(status, 'fulfilled')
  t.match(reviews, [{ reviewerId: asker.id, selfReviewed: true }])
})

t.test('two reviewers at once: one transition, the exact quorum, one grant', async (t) => {
  const stage = await AccessStage.begin()
  const { directory, clock } = stage
  for (let round = 1; round <= 100; round++) {
    const terms = termsAt(clock.now(), { permissions: writing })
    const id = await stage.until(draft(directory, round, clock.now(), terms))
    const { digest } = await stage.until(submit(directory, id))
    const asked = reviewers.map((by) => {
      return directory.ask(requestActor, id, reviewOf(by, digest), settled)
    })
    const outcomes = await stage.until(Promise.all(asked.map((one) => typeOf(one))))
    const { view } = await stage.until(directory.ask(requestActor, id, { type: 'get' }, settled))
    const entries = await stage.history('request', id)
    const states = entries.map(({ snapshot }) => (snapshot as { value: string }).value)
    const grants = await stage.history('grant', grantIdOf(id))
    const found = {
      status: view.status,
      // The third finds it approved already.
      refused: outcomes.filter((outcome) => outcome !== 'fulfilled'),
      approvals: new Set(view.reviews.map(({ reviewerId }) => reviewerId)).size,
      transitions: states.filter((state, i) => state === 'approved' && states[i - 1] === 'pending')
        .length,
      grants: grants.filter(({ event }) => event.type === 'created').length,
    }
    const expected = {
      status: 'fulfilled',
      refused: ['invalid_transition'],
      approvals: 2,
      transitions: 1,
      grants: 1,
    }
    if (!t.strictSame(found, expected, `round ${round}`)) return
  }
})

t.test('an end of its basis after the approval makes it lapse, and no grant opens', async (t) => {
  const { stage, submit, review, grant } = await begin()
  const pending = await submit()
  await review(first, pending)
  const close = { type: 'close', by: asker, reason: because } as const
  await stage.until(stage.directory.ask(needActor, need, close, mine))
  const lapsed = await review(owner, pending)
  t.equal(lapsed.status, 'lapsed')
  t.match(lapsed.message, 'need is closed')
  t.notOk(lapsed.grantId)
  t.equal(await typeOf(grant()), 'not_found')
})

t.test('a scope narrowed meanwhile gives no wider grant', async (t) => {
  const { stage, submit, review, grant } = await begin({ permissions: writing })
  const pending = await submit()
  await review(first, pending)
  const areas = [{ area: 'tasks', actions: ['read'] }] as const
  const terms = { ...scopeTerms(stage.clock.now()), areas }
  const revise = { type: 'revise', by: admin, terms } as const
  await stage.until(stage.directory.ask(scopeActor, scope, revise, mine))
  t.match(await review(second, pending), { status: 'lapsed', message: 'more than' })
  t.equal(await typeOf(grant()), 'not_found')
})

t.test('for people of another client the request does not exist', async (t) => {
  const { stage, id, submit } = await begin()
  const { digest } = await submit()
  const stranger: Author = { kind: 'member', id: accessIdOf('person', 97), roles: ['owner'] }
  const theirs = { tenant: accessIdOf('client', 2) }
  const asked = stage.directory.ask(requestActor, id, reviewOf(stranger, digest), theirs)
  t.equal(await typeOf(stage.until(asked)), 'not_found')
})

t.test('a grant that was made before its request lapsed is ended', async (t) => {
  const { stage, submit, review, grant } = await begin()
  const pending = await submit()
  await review(first, pending)
  // It is already open when its maker is told that it could not be made.
  stage.onAnswer = (kind, type) => {
    if (kind !== 'grant' || type !== 'get') return
    stage.onAnswer = () => undefined
    throw new ServiceError('conflict', 'it went wrong')
  }
  t.match(await review(owner, pending), { status: 'lapsed', message: 'it went wrong' })
  await stage.timeline.run(1_000)
  t.match(await grant(), { status: 'ended', endReason: 'never_held' })
})

t.test('a store that is temporarily full does not make a request lapse', async (t) => {
  const { stage, submit, review } = await begin()
  const pending = await submit()
  await review(first, pending)
  let refusals = 2
  stage.onAnswer = (kind, type) => {
    if (kind !== 'client' || type !== 'get' || refusals-- <= 0) return
    throw new ServiceError('storage_full', 'there is no room')
  }
  t.equal((await review(owner, pending)).status, 'fulfilled')
  t.ok(refusals <= 0)
})

t.test('a grant without an approved request never opens', async (t) => {
  const { stage, id } = await begin()
  const { directory, clock } = stage
  const {
    startsAtMs: _,
    justification: _why,
    renewsGrantId: _renews,
    ...terms
  } = termsAt(clock.now())
  const grantId = grantIdOf(id)
  const forged = {
    ...terms,
    id: grantId,
    tenant: client,
    by: asker,
    requestedBy: asker,
    requestId: id,
    createdAtMs: clock.now(),
    startsAtMs: clock.now(),
    approvers: [],
  }
  await stage.until(directory.create(grantActor, grantId, forged, mine))
  const { view } = await stage.until(directory.ask(grantActor, grantId, { type: 'get' }, settled))
  t.match(view, { status: 'ended', endReason: 'never_held', reason: 'is draft' })
})
