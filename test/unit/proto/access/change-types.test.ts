// Goal: a standard change stays within its template, an emergency change is reviewed later, and a
// body with unknown or invalid content is refused.
import t from 'tap'
import { dayMs } from '../../../../proto/units.ts'
import {
  hourMs,
  implementer,
  manager,
  proposer,
  secondManager,
  termsOf,
} from '../../../helpers/access/actors/changes.ts'
import { typeOf } from '../../../helpers/access/actors/stage.ts'
import { client } from '../../../helpers/access/actors/story.ts'
import { beginChange as begin } from '../../../helpers/access/actors/staged-change.ts'

t.test('a standard change is approved by its template, and stays within it', async (t) => {
  const standard = { type: 'standard', template_id: 'monitor-interval' }
  const change = await begin(standard)
  const approved = await change.propose()
  t.match(approved, { status: 'approved', policy: { rules: ['C6'], slots: [] } })
  t.match(approved.shown?.template, { id: 'monitor-interval', approval: String })
  await change.soon()
  await change.pass(hourMs)
  t.equal((await change.start(proposer)).status, 'in_progress', 'its proposer may do it')
  t.match(await change.complete(proposer), { status: 'done' })
  for (const patch of [{ interval_s: 30 }, { interval_s: 60, target: 'https://other.example' }]) {
    t.throws(() => termsOf({ ...standard, patch }), /must be within the template/)
  }
  t.throws(() => termsOf({ ...standard, target: undefined }), /operation of the template is update/)
  t.throws(() => termsOf({ template_id: 'monitor-interval' }), /only for standard changes/)
})

t.test(
  'an emergency change takes one approval, starts at once, and is reviewed afterwards',
  async (t) => {
    const urgent = { type: 'emergency', client_visible: true, risk: 'high' }
    const change = await begin(urgent)
    const { stage, propose, review, schedule, start, complete, postReview, pass, get } = change
    const seen = await propose()
    t.strictSame(seen.policy?.slots, [{ role: 'change_manager', count: 1 }])
    await review(manager, seen)
    const now = stage.clock.now()
    await schedule(now - 1, now + hourMs)
    await start(proposer)
    t.match(await complete(proposer), { status: 'done', postReview: { status: 'due' } })
    t.equal(await typeOf(postReview(manager)), 'self_review', 'its approver')
    t.equal(await typeOf(postReview(implementer)), 'not_a_reviewer')
    t.match(await postReview(secondManager), {
      postReview: { status: 'done', reviewerId: secondManager.id },
    })
    t.equal(await typeOf(postReview(secondManager)), 'invalid_transition')
    const missed = await begin(urgent)
    await missed.review(manager, await missed.propose())
    const later = missed.stage.clock.now()
    await missed.schedule(later, later + hourMs)
    await missed.start()
    await missed.complete()
    await missed.pass(dayMs + 1)
    t.match(await missed.get(), { postReview: { status: 'missed' } })
    await pass(dayMs)
    t.match(await get(), { postReview: { status: 'done' } })
  },
)

t.test('bodies with invalid content are refused', async (t) => {
  for (const [more, words] of [
    [{ patch: { client_id: client } }, /client_id/],
    [{ patch: { id: 'x' } }, /"id"/],
    [{ patch: { version: 3 } }, /version/],
    [{ patch: undefined }, /must be given/],
    [{ kind: 'record_patch' }, /area/],
    [{ area: 'domains' }, /must be monitoring/],
    [{ patch: null, target: undefined }, /must be given/],
    [{ kind: 'other' }, /writes nothing/],
    [{ impact: '' }, /impact/],
    [{ window: { start: '2030-01-02T00:00:00Z', end: '2030-01-01T00:00:00Z' } }, /after/],
    [{ kind: 'deployment', target: undefined, patch: { environment: 'moon' } }, /environment/],
  ] as const) {
    t.throws(() => termsOf(more), words, JSON.stringify(more))
  }
})
