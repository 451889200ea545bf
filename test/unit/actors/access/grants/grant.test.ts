// Goal: a grant is open within its times and while everything it depends on holds, its tokens can
// do no more and last no longer than it, and emergency access is reviewed later.
import t from 'tap'
import { grantMachine } from '../../../../../actors/access/grant/machine.ts'
import { grantRehearsal } from '../../../../../actors/access/grant/rehearsal.ts'
import { grantView } from '../../../../../actors/access/grant/view.ts'
import { grantIdOf } from '../../../../../actors/access/request/machine.ts'
import type { MessageOf } from '../../../../../proto/actor.ts'
import type { Author } from '../../../../../proto/access/author.ts'
import { clientActor } from '../../../../../proto/access/engagement/client.ts'
import { grantActor, type GrantEnd } from '../../../../../proto/access/grants/grant.ts'
import { accessLimits as limits } from '../../../../../proto/access/limits.ts'
import { dayMs } from '../../../../../proto/units.ts'
import { needActor } from '../../../../../proto/access/engagement/need.ts'
import { personActor } from '../../../../../proto/access/people/person.ts'
import { requestActor, type RequestTerms } from '../../../../../proto/access/grants/request.ts'
import { scopeActor } from '../../../../../proto/access/engagement/scope.ts'
import { encode } from '../../../../../proto/codec.ts'
import { actorOccurrences } from '../../../../../runtime/webhooks/fan-out/occurrences.ts'
import { initialTransition, transition } from 'xstate'
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
  settled,
  subjectId,
  submit,
  termsAt,
} from '../../../../helpers/access/actors/story.ts'

const [first, second] = reviewers
const hourMs = 60 * 60_000
const minuteMs = 60_000
const reason = because
const subject: Author = { kind: 'staff', id: subjectId, roles: ['operator'] }

/** A grant that was requested and approved by every reviewer it needs. */
async function begin(more: (nowMs: number) => Partial<RequestTerms> = () => ({})) {
  const stage = await AccessStage.begin()
  const { directory, clock } = stage
  const terms = termsAt(clock.now(), more(clock.now()))
  const request = await stage.until(draft(directory, 1, clock.now(), terms))
  const { digest } = await stage.until(submit(directory, request))
  await stage.until(directory.ask(requestActor, request, reviewOf(first, digest), settled))
  if (!terms.emergency) {
    await stage.until(directory.ask(requestActor, request, reviewOf(owner, digest), settled))
  }
  const id = grantIdOf(request)
  const ask = async (message: MessageOf<typeof grantActor>) =>
    (await stage.until(directory.ask(grantActor, id, message, settled))).view
  let minted = 0
  return {
    stage,
    id,
    terms,
    ask,
    get: () => ask({ type: 'get' }),
    mint: (asked: { readonly scopes?: readonly string[]; readonly expiresAtMs?: number } = {}) => {
      const tokenId = accessIdOf('token', ++minted)
      const token = { tokenId, name: 'ci', hint: 'spat_…0000', hash: `hash-${minted}` }
      return ask({ type: 'mint', by: subject, ...token, ...asked })
    },
  }
}

t.test('a token does what the grant allows, as long as the grant, 90 days at most', async (t) => {
  const { mint, stage, terms } = await begin()
  const { tokens, version } = await mint()
  t.match(tokens, [
    { scopes: ['contacts:read'], expiresAtMs: terms.endsAtMs, createdBy: subjectId },
  ])
  t.equal((await mint({ scopes: ['contacts:read'] })).version, version + 1)
  const beyond = await errorOf(mint({ scopes: ['contacts:read', 'contacts:write'] }))
  t.equal(beyond.type, 'not_in_scope')
  t.strictSame(beyond.details['scopes'], ['contacts:write'])
  t.equal(await typeOf(mint({ scopes: [] })), 'validation_failed')
  t.equal(await typeOf(mint({ expiresAtMs: terms.endsAtMs + 1 })), 'validation_failed')
  t.equal(await typeOf(mint({ expiresAtMs: stage.clock.now() })), 'validation_failed')
  const long = await begin((nowMs) => ({ endsAtMs: nowMs + 300 * dayMs }))
  const mintedAtMs = long.stage.clock.now()
  t.equal((await long.mint()).tokens[0]!.expiresAtMs, mintedAtMs + limits.tokenMs)
  const late = mintedAtMs + limits.tokenMs + 1
  t.equal(await typeOf(long.mint({ expiresAtMs: late })), 'validation_failed')
})

t.test('its tokens are limited in number, and expired ones make room', async (t) => {
  const { mint, ask, stage } = await begin()
  const soon = stage.clock.now() + hourMs
  await mint({ expiresAtMs: soon })
  for (let n = 2; n <= limits.tokensPerGrant; n++) await mint()
  const full = await errorOf(mint())
  t.equal(full.type, 'quota_exceeded')
  t.equal(full.details['limit'], limits.tokensPerGrant)
  const newTokenId = accessIdOf('token', 99)
  const rotate = {
    type: 'rotate',
    by: subject,
    tokenId: accessIdOf('token', 2),
    newTokenId,
  } as const
  const fresh = { hint: 'spat_…1111', hash: 'fresh', overlapMs: 0 }
  t.equal(await typeOf(ask({ ...rotate, ...fresh })), 'quota_exceeded')
  await stage.timeline.run(hourMs + 1_000)
  const { tokens } = await ask({ ...rotate, ...fresh })
  t.equal(tokens.length, limits.tokensPerGrant)
  t.notOk(tokens.some(({ expiresAtMs }) => expiresAtMs === soon))
})

t.test('a rotated token works for the overlap, its successor to the old end', async (t) => {
  const { mint, ask, stage } = await begin()
  const bornMs = stage.clock.now()
  const lifeMs = 3 * hourMs
  const [old] = (await mint({ expiresAtMs: bornMs + lifeMs })).tokens
  await stage.timeline.run(hourMs)
  const atMs = stage.clock.now()
  const newTokenId = accessIdOf('token', 2)
  const message = { type: 'rotate', by: subject, tokenId: old!.id, newTokenId } as const
  const { tokens } = await ask({ ...message, hint: 'h', hash: 'new', overlapMs: 10 * minuteMs })
  t.match(tokens, [
    { id: old!.id, expiresAtMs: atMs + 10 * minuteMs },
    { id: newTokenId, name: 'ci', scopes: old!.scopes, expiresAtMs: atMs + lifeMs },
  ])
  await stage.timeline.run(11 * minuteMs)
  const again = {
    ...message,
    newTokenId: accessIdOf('token', 3),
    hint: 'h',
    hash: 'x',
    overlapMs: 0,
  }
  t.equal(await typeOf(ask(again)), 'conflict', 'one that is over is not replaced')
})

t.test('a token is revoked once, and an unknown one cannot be', async (t) => {
  const { mint, ask } = await begin()
  const [token] = (await mint()).tokens
  const revoke = { type: 'revoke_token', by: subject, reason } as const
  const { tokens, version } = await ask({ ...revoke, tokenId: token!.id })
  t.match(tokens, [{ revokedReason: reason, revokedAtMs: Number }])
  t.equal((await ask({ ...revoke, tokenId: token!.id })).version, version)
  t.equal(await typeOf(ask({ ...revoke, tokenId: accessIdOf('token', 9) })), 'not_found')
})

t.test('uses are recorded once a minute, and make no version', async (t) => {
  const { stage, id, mint, ask } = await begin()
  const { tokens, version } = await mint()
  const tokenId = tokens[0]!.id
  const used = () => ask({ type: 'used', tokenId, atMs: stage.clock.now() })
  const firstMs = stage.clock.now()
  t.match(await used(), { version, lastUsedAtMs: firstMs, tokens: [{ lastUsedAtMs: firstMs }] })
  const entries = (await stage.history('grant', id)).length
  await stage.timeline.run(30_000)
  t.equal((await used()).lastUsedAtMs, firstMs)
  t.equal((await stage.history('grant', id)).length, entries, 'nothing was written')
  await stage.timeline.run(30_000)
  t.equal((await used()).lastUsedAtMs, stage.clock.now())
  const ahead = await ask({ type: 'used', tokenId, atMs: stage.clock.now() + hourMs })
  t.equal(ahead.lastUsedAtMs, stage.clock.now(), 'no use lies in the future')
})

t.test('what staff suspended, they resume, or a reviewer or owner without a part', async (t) => {
  const { ask, mint } = await begin()
  const suspend = (by: Author) => ask({ type: 'suspend', by, reason })
  const suspendedBy = { kind: 'staff', id: first.id } as const
  t.match(await suspend(first), { status: 'suspended', reason, suspendedBy })
  t.equal(await typeOf(mint()), 'invalid_transition')
  const resume = (by: Author) => ask({ type: 'resume', by, reason })
  t.equal(await typeOf(resume({ ...subject, roles: ['reviewer'] })), 'self_review')
  t.equal(await typeOf(resume({ ...asker, roles: ['reviewer'] })), 'self_review')
  t.equal(await typeOf(resume(admin)), 'not_a_reviewer')
  for (const by of [second, owner, { ...asker, singleOperator: true } as const]) {
    const { status, suspendedBy: none } = await resume(by)
    t.same([status, none], ['active', undefined])
    await suspend(first)
  }
  await resume(second)
  await suspend(admin)
  t.equal(await typeOf(suspend(admin)), 'invalid_transition')
  t.equal(await typeOf(resume({ ...admin, id: accessIdOf('person', 90) })), 'not_a_reviewer')
  t.equal((await resume(admin)).status, 'active', 'the one who suspended')
})

t.test('what an owner suspended, only an owner resumes', async (t) => {
  const { ask } = await begin()
  const suspend = (by: Author) => ask({ type: 'suspend', by, reason })
  const resume = (by: Author) => ask({ type: 'resume', by, reason })
  const member: Author = { ...owner, roles: ['member'] }
  const other: Author = { ...owner, id: accessIdOf('person', 91) }
  for (const begin of [[owner], [first, owner]]) {
    for (const by of begin) await suspend(by)
    for (const by of [first, second, admin, member, { ...second, singleOperator: true } as const]) {
      const { type, message } = await errorOf(resume(by))
      t.equal(type, 'forbidden')
      t.match(message, /only an owner of the client can resume it/)
    }
    t.equal(await typeOf(suspend(second)), 'invalid_transition', 'staff do not take it over')
    t.equal((await resume(other)).status, 'active')
  }
})

t.test('it opens at its beginning and ends at its end', async (t) => {
  const { stage, get, mint, ask } = await begin((nowMs) => ({ startsAtMs: nowMs + hourMs }))
  t.equal((await get()).status, 'scheduled')
  t.equal((await mint()).tokens.length, 1)
  t.equal(await typeOf(ask({ type: 'suspend', by: admin, reason })), 'invalid_transition')
  await stage.timeline.run(hourMs + 1_000)
  t.equal((await get()).status, 'active')
  await stage.timeline.run(dayMs)
  t.match(await get(), { status: 'ended', endReason: 'ends_at', endedAt: Number })
  const error = await errorOf(ask({ type: 'revoke', by: admin, reason }))
  t.match(error, { type: 'invalid_transition', details: { status: 'ended', allowed: [] } })
})

const by = admin
const endings: readonly (readonly [GrantEnd, (stage: AccessStage) => Promise<unknown>])[] = [
  [
    'need_closed',
    ({ directory }) => directory.ask(needActor, need, { type: 'close', by, reason }, mine),
  ],
  [
    'scope_retired',
    ({ directory }) => directory.ask(scopeActor, scope, { type: 'retire', by, reason }, mine),
  ],
  [
    'subject_removed',
    ({ directory }) => directory.ask(personActor, subjectId, { type: 'remove', by, reason }),
  ],
  [
    'client_closed',
    async ({ directory }) => {
      await directory.ask(clientActor, client, { type: 'offboard', by, reason }, mine)
      await directory.ask(clientActor, client, { type: 'close', by, reason }, mine)
    },
  ],
]

for (const [end, does] of endings) {
  t.test(`${end} ends it`, async (t) => {
    const { stage, get } = await begin()
    t.equal((await get()).status, 'active')
    await stage.until(does(stage))
    await stage.timeline.run(1_000)
    t.match(await get(), { status: 'ended', endReason: end })
  })
}

t.test('it announces its end a week before, or a tenth of a shorter life', async (t) => {
  for (const [lifeMs, leftMs] of [
    [100 * dayMs, 7 * dayMs],
    [20 * dayMs, 2 * dayMs],
  ] as const) {
    const { stage, id, get, terms } = await begin((nowMs) => ({ endsAtMs: nowMs + lifeMs }))
    const { version } = await get()
    const expiring = async () =>
      (await stage.history('grant', id)).filter(({ event }) => event.type === 'deadline.expiring')
    await stage.timeline.run(lifeMs - leftMs - hourMs)
    t.same(await expiring(), [], 'not before that')
    await stage.timeline.run(2 * hourMs)
    const [told, ...more] = await expiring()
    t.ok(Math.abs(terms.endsAtMs - leftMs - told!.at) < minuteMs)
    t.same(more, [], 'once')
    t.match(await get(), { status: 'active', version }, 'nothing of it changes')
    await stage.timeline.run(leftMs)
    t.match(await get(), { status: 'ended', endReason: 'ends_at' })
    const data = (await stage.history('grant', id)).map((entry) => encode(entry))
    const types = data.flatMap(
      (entry, seq) =>
        actorOccurrences('access', { subject: `troupe.v1.log.grant.${id}`, seq, data: entry })
          .happenings,
    )
    t.same(
      types.map(({ event }) => event.type),
      ['grant.activated', 'grant.expiring', 'grant.ended'],
    )
  }
})

t.test('a revoked grant stays revoked', async (t) => {
  const { ask } = await begin()
  t.match(await ask({ type: 'revoke', by: owner, reason }), { status: 'revoked', reason })
  t.match(await ask({ type: 'end', by: admin, end: 'need_closed' }), { status: 'revoked' })
})

const inEmergency = (nowMs: number) => ({ emergency: true, endsAtMs: nowMs + 4 * hourMs })

t.test('an emergency has one reviewer, and a second person reviews it later', async (t) => {
  const { stage, get, ask } = await begin(inEmergency)
  const byMs = stage.clock.now() + limits.postReviewMs
  t.match(await get(), {
    status: 'active',
    approvers: { length: 1 },
    postReview: { status: 'due' },
  })
  const review = (who: Author) => ask({ type: 'post_review', by: who, reason })
  t.equal(await typeOf(review(first)), 'self_review', 'it is the one who approved')
  t.equal(await typeOf(review({ ...asker, roles: ['reviewer'] })), 'self_review')
  t.equal(await typeOf(review({ ...subject, roles: ['reviewer'] })), 'self_review')
  t.equal(await typeOf(review({ ...owner, roles: ['member'] })), 'not_a_reviewer')
  await stage.timeline.run(5 * hourMs)
  t.match(await get(), { status: 'ended', endReason: 'ends_at' })
  const { postReview } = await review(second)
  t.match(postReview, { status: 'done', reviewerId: second.id })
  t.notOk(postReview!.selfReviewed)
  t.ok(postReview!.byMs <= byMs)
  t.equal(await typeOf(review(second)), 'invalid_transition')
  await stage.timeline.run(2 * dayMs)
  t.match(await get(), { postReview: { status: 'done' } })
})

t.test('an owner of the client reviews an emergency where staff is two', async (t) => {
  const { ask } = await begin(inEmergency)
  const { postReview } = await ask({ type: 'post_review', by: owner, reason })
  t.match(postReview, { status: 'done', reviewerId: owner.id })
  t.notOk(postReview!.selfReviewed)
})

t.test('a sole operator reviews their own emergency, and it is marked', async (t) => {
  const { ask } = await begin(inEmergency)
  const { postReview } = await ask({
    type: 'post_review',
    by: { ...first, singleOperator: true },
    reason,
  })
  t.match(postReview, { status: 'done', selfReviewed: true })
})

t.test('a later review that is not given is marked as missed', async (t) => {
  const { stage, get, ask } = await begin(inEmergency)
  await stage.timeline.run(dayMs + minuteMs)
  t.match(await get(), { endReason: 'ends_at', postReview: { status: 'missed' } })
  const late = ask({ type: 'post_review', by: second, reason })
  t.equal(await typeOf(late), 'invalid_transition')
})

t.test('an emergency grant still open when its review is missed ends', async (t) => {
  const endsAtMs = 10 * dayMs
  const input = { ...grantRehearsal.input, emergency: true, endsAtMs }
  const [made] = initialTransition(grantMachine, input)
  const [open] = transition(grantMachine, made, { type: 'confirmed', at: 1 })
  const at = open.context.deadlines['postReview']!
  t.equal(at, 1 + limits.postReviewMs)
  const [over] = transition(grantMachine, open, { type: 'deadline.postReview', at })
  t.match(grantView(over), {
    status: 'ended',
    endReason: 'post_review_missed',
    postReview: { status: 'missed' },
  })
  t.strictSame(over.context.deadlines, {})
})

t.test('emergency access is not renewed', async (t) => {
  const { stage, id } = await begin(inEmergency)
  const { directory, clock } = stage
  const terms = termsAt(clock.now(), { renewsGrantId: id })
  const request = await stage.until(draft(directory, 2, clock.now(), terms))
  const error = await errorOf(stage.until(submit(directory, request)))
  t.equal(error.type, 'validation_failed')
  t.strictSame(error.details['pointers'], ['/renews_grant_id'])
  const ordinary = await begin()
  const renewal = termsAt(ordinary.stage.clock.now(), { renewsGrantId: ordinary.id })
  const next = await ordinary.stage.until(draft(ordinary.stage.directory, 2, 0, renewal))
  t.equal((await ordinary.stage.until(submit(ordinary.stage.directory, next))).status, 'pending')
})
