// Goal: a change writes its target once, when it is completed, exactly as it was approved, by
// people who each have one part in it, within its window, and never otherwise.
import t from 'tap'
import { systemAuthor, type Author } from '../../../../../proto/access/author.ts'
import { clientActor } from '../../../../../proto/access/engagement/client.ts'
import { digestOf } from '../../../../../proto/access/digest.ts'
import { needActor } from '../../../../../proto/access/engagement/need.ts'
import {
  hourMs,
  implementer,
  manager,
  monitor,
  monitorFields,
  proposer,
  recordIdOf,
  secondManager,
  termsOf,
} from '../../../../helpers/access/actors/changes.ts'
import { errorOf, typeOf } from '../../../../helpers/access/actors/stage.ts'
import {
  admin,
  because,
  client,
  mine,
  need,
  owner,
} from '../../../../helpers/access/actors/story.ts'
import { beginChange as begin } from '../../../../helpers/access/actors/staged-change.ts'

t.test('proposed, reviewed, scheduled, started and done, it has written its target', async (t) => {
  const { propose, review, soon, pass, start, complete, record, id } = await begin({
    client_visible: true,
  })
  const proposed = await propose()
  t.match(proposed, { status: 'proposed', policy: { rules: ['C1', 'C2'] } })
  t.equal(proposed.digest, digestOf(proposed.shown), 'the digest is that of what is shown')
  t.match(proposed.shown, {
    client: { name: 'Acme' },
    change: { target: { id: monitor, version: 1 }, patch: { interval_s: 60 } },
  })
  t.notMatch(JSON.stringify(proposed), 'shop.example', 'no value of the record is shown')
  t.equal((await review(manager, proposed)).status, 'reviewed')
  t.equal((await review(owner, proposed)).status, 'approved')
  t.match(await soon(), { status: 'scheduled', window: { endMs: Number } })
  t.equal((await record())?.version, 1, 'nothing is written before it is done')
  await pass(hourMs)
  t.match(await start(), { status: 'in_progress', implementer: { id: implementer.id } })
  const done = await complete()
  t.match(done, { status: 'done', applied: { id: monitor, version: 2 } })
  t.match(done.result, { by: { id: implementer.id }, evidence: ['https://ci.example/1'] })
  t.same(
    done.history.map(({ status, by }) => [status, by]),
    [
      ['draft', proposer.id],
      ['proposed', proposer.id],
      ['reviewed', manager.id],
      ['approved', owner.id],
      ['scheduled', manager.id],
      ['in_progress', implementer.id],
      ['done', implementer.id],
    ],
    'steps of the clock are not in its history, and its proposer is',
  )
  t.match(await record(), {
    version: 2,
    fields: { ...monitorFields, interval_s: 60 },
    updatedBy: implementer.id,
    changes: [{ id, version: 2 }],
    _m: { changeId: id, needId: need, changed: ['interval_s'] },
  })
})

t.test('one person has only one part', async (t) => {
  const change = await begin({ implementer_id: implementer.id })
  const { propose, review, soon, pass, start, complete } = change
  t.equal(await typeOf(propose(manager)), 'forbidden', 'only its author proposes it')
  const seen = await propose()
  const also = (by: Author, role: 'change_manager' | 'operator'): Author => ({
    ...by,
    roles: [role],
  })
  t.equal(await typeOf(review(also(proposer, 'change_manager'), seen)), 'self_review')
  t.equal(await typeOf(review(also(implementer, 'change_manager'), seen)), 'self_review')
  t.equal(await typeOf(review(admin, seen)), 'not_a_reviewer', 'an admin manages no changes')
  t.equal(await typeOf(review(owner, seen)), 'not_a_reviewer', 'no slot is for the owner')
  await review(manager, seen)
  await soon()
  await pass(hourMs)
  t.equal(await typeOf(start(manager)), 'self_review', 'its approver')
  t.equal(await typeOf(start(proposer)), 'self_review', 'its proposer')
  t.equal(await typeOf(start(secondManager)), 'forbidden', 'it is for another person')
  await start()
  t.equal(await typeOf(complete(secondManager)), 'forbidden', 'they have not done it')
  t.equal((await complete()).status, 'done')
})

t.test('a sole operator does every part, and each such decision is marked', async (t) => {
  const alone: Author = { ...proposer, roles: ['operator', 'change_manager'], singleOperator: true }
  const { propose, review, soon, pass, start, complete } = await begin({ risk: 'high' })
  const approved = await review(alone, await propose(alone))
  t.match(approved, { status: 'approved', reviews: [{ selfReviewed: true }] })
  await soon(alone)
  await pass(hourMs)
  await start(alone)
  t.equal((await complete(alone)).status, 'done')
})

t.test(
  'an emergency is reviewed afterwards: by whom, and whether alone, stays visible',
  async (t) => {
    const alone: Author = {
      ...proposer,
      roles: ['operator', 'change_manager'],
      singleOperator: true,
    }
    const reviewedBy = async (by: Author) => {
      const { propose, review, soon, pass, start, complete, postReview } = await begin({
        type: 'emergency',
      })
      await review(manager, await propose())
      await soon()
      await pass(hourMs)
      await start()
      t.match(await complete(), { postReview: { status: 'due' } })
      t.equal(await typeOf(postReview(manager)), 'self_review', 'its approver')
      t.equal(await typeOf(postReview(implementer)), 'self_review')
      return (await postReview(by)).postReview
    }
    t.match(await reviewedBy(alone), { status: 'done', selfReviewed: true })
    for (const by of [secondManager, owner]) {
      const after = await reviewedBy(by)
      t.match(after, { status: 'done', reviewerId: by.id })
      t.notOk(after!.selfReviewed)
    }
  },
)

t.test('high risk takes two change managers, and one person counts once', async (t) => {
  const { propose, review } = await begin({ risk: 'high' })
  const seen = await propose()
  t.strictSame(seen.policy?.slots, [{ role: 'change_manager', count: 2 }])
  t.equal((await review(manager, seen)).status, 'reviewed')
  t.equal(await typeOf(review(manager, seen)), 'already_reviewed')
  t.equal((await review(secondManager, seen)).status, 'approved')
})

t.test('denied it is rejected; sent back it is rewritten and reviewed again', async (t) => {
  const denied = await begin()
  t.match(await denied.review(manager, await denied.propose(), 'deny'), {
    ...{ status: 'rejected', message: because },
  })
  t.equal(await typeOf(denied.cancel()), 'invalid_transition')
  const { propose, review, revise } = await begin({ risk: 'high' })
  const first = await propose()
  await review(manager, first)
  t.equal((await review(secondManager, first, 'request_changes')).status, 'returned')
  t.equal(await typeOf(revise(termsOf(), manager)), 'forbidden')
  await revise(termsOf({ patch: { interval_s: 120 } }))
  const second = await propose()
  t.not(second.digest, first.digest)
  t.ok(second.reviews.every(({ isVoid }) => isVoid))
  t.equal(await typeOf(review(manager, first)), 'precondition_failed', 'another form was shown')
  t.equal((await review(manager, second)).status, 'approved', 'its risk is another one by now')
})

const refusedAtProposal = [
  ['another version of its target', { target: { id: monitor, version: 2 } }, '/target/version'],
  [
    'a target that never was',
    { target: { id: recordIdOf('monitoring', 9), version: 1 } },
    '/target/id',
  ],
  ['a target of another area', { target: { id: recordIdOf('domains'), version: 1 } }, '/target/id'],
  ['a need that never was', { need_id: 'nd_00000000000000000000000009' }, '/need_id'],
] as const
for (const [what, more, pointer] of refusedAtProposal) {
  t.test(`${what}: it is not proposed, and the error names the place`, async (t) => {
    const { propose, get } = await begin(more)
    const { type, details } = await errorOf(propose())
    t.equal(type, 'validation_failed')
    t.same(details, { pointers: [pointer] })
    t.equal((await get()).status, 'draft')
  })
}

t.test('values that the area refuses are not proposed', async (t) => {
  const wrong = await begin({ patch: { interval_s: 5 } })
  t.equal(await typeOf(wrong.propose()), 'validation_failed')
  const project = {
    patch: { environment: 'staging', release: '1', project_id: recordIdOf('projects') },
  }
  const refers = await begin({ kind: 'deployment', target: undefined, ...project })
  t.equal(await typeOf(refers.propose()), 'validation_failed', 'a reference to nothing')
})

t.test('with a closed need or a suspended client, no step is accepted', async (t) => {
  const change = await begin()
  const { stage, propose, review, soon } = change
  await review(manager, await propose())
  const suspend = { type: 'suspend', by: admin, reason: because } as const
  await stage.until(stage.directory.ask(clientActor, client, suspend, mine))
  t.equal(await typeOf(soon()), 'conflict')
  const resume = { type: 'resume', by: admin, reason: because } as const
  await stage.until(stage.directory.ask(clientActor, client, resume, mine))
  const close = { type: 'close', by: admin, reason: because } as const
  await stage.until(stage.directory.ask(needActor, need, close, mine))
  t.equal(await typeOf(soon()), 'conflict')
  t.equal((await change.get()).status, 'approved')
  const other = await begin({}, stage, 2)
  t.equal(await typeOf(other.propose()), 'conflict')
})

t.test('two changes never have one target at the same time', async (t) => {
  const first = await begin()
  const { stage } = first
  await first.approved()
  await first.soon()
  const second = await begin({ patch: { interval_s: 90 } }, stage, 2)
  await second.approved()
  const now = stage.clock.now()
  const refused = await errorOf(second.schedule(now + 1.5 * hourMs, now + 3 * hourMs))
  t.match(refused, { type: 'conflict', details: { change_id: first.id } })
  t.equal((await second.get()).status, 'approved')
  t.match(await second.schedule(now + 2 * hourMs, now + 3 * hourMs), { status: 'scheduled' })
  const third = await begin({ patch: { interval_s: 70 } }, stage, 3)
  await third.approved()
  t.equal(await typeOf(third.soon()), 'conflict')
  await first.cancel()
  t.equal((await third.soon()).status, 'scheduled', 'a cancelled one has given its window back')
  const moved = await errorOf(third.schedule(now + 2 * hourMs, now + 3 * hourMs))
  t.equal(moved.type, 'conflict')
  t.match(await third.get(), { status: 'scheduled', window: { startMs: now + hourMs } })
})

t.test('it is carried out only in its window, and the window expires', async (t) => {
  const { approved, soon, start, pass, get, stage, schedule } = await begin()
  await approved()
  const now = stage.clock.now()
  t.equal(await typeOf(schedule(now - hourMs, now + hourMs)), 'validation_failed', 'has begun')
  await soon()
  t.equal(await typeOf(start()), 'conflict', 'too early')
  await pass(3 * hourMs)
  t.match(await get(), { status: 'approved', window: null, message: /passed/ })
  await soon()
  await pass(hourMs)
  await start()
  await pass(2 * hourMs)
  t.match(await get(), { status: 'in_progress', isLate: true })
})

t.test('a target that changed meanwhile sends it back, with the differences', async (t) => {
  const { started, complete, get, meddle, record, review, soon, pass, start } = await begin()
  await started()
  await meddle({ interval_s: 120, name: 'The shop' })
  const { type, details } = await errorOf(complete())
  t.equal(type, 'conflict')
  t.match(details, { version: 2, fields: ['interval_s', 'name'], status: 'proposed' })
  t.equal((await record())?.fields['interval_s'], 120, 'nothing was written')
  const back = await get()
  t.match(back, {
    status: 'proposed',
    implementer: null,
    conflict: { fields: ['interval_s', 'name'] },
  })
  t.match(back.shown?.change, { target: { id: monitor, version: 2 } }, 'on the target as it is')
  t.ok(back.reviews.every(({ isVoid }) => isVoid))
  await review(manager, back)
  await soon()
  await pass(hourMs)
  await start()
  t.match(await complete(), { status: 'done', applied: { version: 3 }, conflict: null })
})

t.test('values that a checker has observed since are no conflict', async (t) => {
  const { started, complete, meddle, record } = await begin()
  await started()
  await meddle(
    { status: 'down', last_check_at: '2030-01-01T00:00:00.000Z' },
    systemAuthor('checks'),
  )
  t.match(await complete(), { status: 'done', applied: { version: 3 } })
  t.match((await record())?.fields, { status: 'down', interval_s: 60 })
})

t.test('unless the change writes them', async (t) => {
  const { started, complete, meddle } = await begin({ patch: { status: 'paused' } })
  await started()
  await meddle({ status: 'down' }, systemAuthor('checks'))
  t.match(await errorOf(complete()), { type: 'conflict', details: { fields: ['status'] } })
})

t.test('a target removed meanwhile: the change is sent back and says so', async (t) => {
  const first = await begin({ patch: null })
  const other = await begin({}, first.stage, 2)
  await other.approved()
  await other.schedule(first.stage.clock.now() + 3 * hourMs, first.stage.clock.now() + 4 * hourMs)
  await first.started()
  t.match(await first.complete(), { status: 'done', applied: { version: 2 } })
  t.match(await first.record(), { deletedAtMs: Number, changes: [{ id: first.id }] })
  await other.pass(2 * hourMs)
  await other.start()
  t.match(await errorOf(other.complete()), { type: 'conflict', details: { status: 'returned' } })
})

t.test('without a target it makes a record with an id derived from its own', async (t) => {
  const patch = { environment: 'production', release: '2.0' }
  const { started, complete, record, id } = await begin({
    kind: 'deployment',
    target: undefined,
    patch,
  })
  await started()
  const { applied } = await complete()
  const made = await record('deployments', applied?.id)
  t.match(made, { version: 1, fields: { ...patch, change_id: id }, changes: [{ id, version: 1 }] })
  t.equal(applied?.id.slice(4), id.slice(4))
})

t.test('kinds that write nothing are completed with their evidence alone', async (t) => {
  const { started, complete } = await begin({ kind: 'other', target: undefined, patch: undefined })
  await started()
  t.match(await complete(), { status: 'done', applied: null, result: { notes: '' } })
})

t.test('a failed change is rolled back, or scheduled again', async (t) => {
  const failed = await begin()
  await failed.started()
  t.equal(await typeOf(failed.fail(proposer)), 'forbidden')
  t.match(await failed.fail(), { status: 'failed', message: because, window: null })
  t.equal((await failed.record())?.version, 1)
  t.equal((await failed.rollBack()).status, 'rolled_back')
  const again = await begin()
  await again.started()
  await again.fail()
  await again.soon()
  await again.pass(hourMs)
  await again.start()
  t.equal((await again.complete()).status, 'done')
})

t.test('it can be cancelled by those who may, until it is started', async (t) => {
  const { cancel, approved, soon } = await begin()
  t.equal(await typeOf(cancel(implementer)), 'forbidden')
  await approved()
  await soon()
  t.match(await cancel(owner), { status: 'cancelled', message: because })
  const begun = await begin()
  await begun.started()
  t.equal(await typeOf(begun.cancel()), 'invalid_transition')
})
