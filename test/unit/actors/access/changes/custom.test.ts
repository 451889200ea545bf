// Goal: custom access is made, changed and removed only by completed changes; a slug is unique, and
// a change approved for another version is not written.
import t from 'tap'
import { customActor, customIdOf } from '../../../../../proto/access/changes/custom.ts'
import { requestActor } from '../../../../../proto/access/grants/request.ts'
import { hourMs, manager, termsOf } from '../../../../helpers/access/actors/changes.ts'
import { errorOf, typeOf, type AccessStage } from '../../../../helpers/access/actors/stage.ts'
import {
  client,
  draft,
  mine,
  owner,
  submit,
  termsAt,
} from '../../../../helpers/access/actors/story.ts'
import { beginChange } from '../../../../helpers/access/actors/staged-change.ts'

const definition = {
  slug: 'newsletter-list',
  title: 'Those who get the newsletter',
  source_area: 'contacts',
  fields: ['first_name', 'email'],
  where: [{ field: 'lifecycle_stage', equals: ['subscriber'] }],
}
const id = customIdOf(client, definition.slug)
const making = { kind: 'custom_access', target: undefined, patch: definition }
const of = (version: number, patch: object | null) => ({
  ...{ kind: 'custom_access', target: { id, version }, patch },
})

type Change = Awaited<ReturnType<typeof beginChange>>

/** Approved by both reviewers, and started. */
async function started(change: Change): Promise<void> {
  const seen = await change.propose()
  await change.review(manager, seen)
  await change.review(owner, seen)
  await change.soon()
  await change.pass(hourMs)
  await change.start()
}

async function done(more: object, on?: AccessStage, n = 1) {
  const change = await beginChange({ ...more }, on, n)
  await started(change)
  return { ...change, view: await change.complete() }
}

const viewOn = async ({ directory, until }: AccessStage) =>
  (await until(directory.ask(customActor, id, { type: 'get' }, mine))).view

t.test('defined, changed, retired and defined again, each by a change', async (t) => {
  const first = await done(making)
  const { stage } = first
  t.same(first.view.policy?.slots, [
    { role: 'change_manager', count: 1 },
    { role: 'client_owner', count: 1 },
  ])
  t.match(first.view, { status: 'done', applied: { id, version: 1 } })
  const on = { directory: stage.directory, until: stage.until.bind(stage) } as AccessStage
  t.match(await viewOn(on), {
    status: 'active',
    definition: { ...definition, sort: '-created_at' },
  })
  const second = await done(of(1, { fields: ['email'] }), stage, 2)
  t.match(second.view.applied, { id, version: 2 })
  t.match(await viewOn(on), {
    ...{ definition: { fields: ['email'], title: definition.title } },
    changes: [{ id: first.id }, { id: second.id, version: 2 }],
  })
  await done(of(2, null), stage, 3)
  t.equal((await viewOn(on)).status, 'retired')
  const anew = await done({ ...making, patch: { ...definition, title: 'Again' } }, stage, 4)
  t.match(anew.view.applied, { id, version: 4 })
  t.match(await viewOn(on), { status: 'active', definition: { title: 'Again' } })
})

t.test('a slug is unique and never changes', async (t) => {
  const { stage } = await done(making)
  const second = await beginChange(making, stage, 2)
  t.match(await errorOf(second.propose()), { details: { pointers: ['/patch/slug'] } })
  const renamed = await beginChange(of(1, { slug: 'other' }), stage, 3)
  t.match(await errorOf(renamed.propose()), { details: { pointers: ['/patch/slug'] } })
  const gone = await beginChange(of(1, { fields: ['no_such'] }), stage, 4)
  t.equal(await typeOf(gone.propose()), 'validation_failed')
})

t.test('two that define the same: the second conflicts, and is sent back', async (t) => {
  const first = await beginChange(making)
  const second = await beginChange(making, first.stage, 2)
  for (const { propose, review } of [first, second]) {
    const seen = await propose()
    await review(manager, seen)
    await review(owner, seen)
  }
  await first.soon()
  t.equal(await typeOf(second.soon()), 'conflict', 'they have one target')
  await first.pass(hourMs)
  await first.start()
  await first.complete()
  await second.soon()
  await second.pass(hourMs)
  await second.start()
  t.match(await errorOf(second.complete()), {
    ...{ type: 'conflict', details: { fields: ['slug'], status: 'returned' } },
  })
})

t.test('a change approved for another version is not written', async (t) => {
  const { stage } = await done(making)
  const slow = await beginChange(of(1, { title: 'Slow' }), stage, 2)
  const seen = await slow.propose()
  await slow.review(manager, seen)
  await slow.review(owner, seen)
  await done(of(1, { title: 'Quick' }), stage, 3)
  await slow.soon()
  await slow.pass(hourMs)
  await slow.start()
  t.match(await errorOf(slow.complete()), { details: { version: 2, fields: ['title'] } })
})

t.test('access to a view can be requested while it exists, and names its change', async (t) => {
  const { stage, id: changeId } = await done(making)
  const { directory, clock, until } = { ...stage, until: stage.until.bind(stage) }
  const permissions = [{ area: 'custom/newsletter-list', actions: ['read'] }] as const
  const terms = termsAt(clock.now(), { path: 'custom', permissions })
  const asked = await until(draft(directory, 1, clock.now(), terms))
  t.equal(await typeOf(until(submit(directory, asked))), 'not_in_scope', 'it is contracted first')
  t.ok(changeId)
  const view = (await until(directory.ask(requestActor, asked, { type: 'get' }, mine))).view
  t.equal(view.status, 'draft')
})

t.test('invalid definitions are refused', async (t) => {
  for (const [more, words] of [
    [{ slug: 'Not a slug' }, /lower-case/],
    [{ source_area: 'moon' }, /source_area/],
    [{ fields: ['shoe_size'] }, /must be one of/],
    [{ where: [{ field: 'email', equals: ['a@b.example'] }], fields: ['email'] }, null],
    [{ where: [{ field: 'custom_fields', equals: ['x'] }] }, /must be one of/],
    [{ sort: 'job_title' }, /must be one of/],
    [{ fields: [] }, /fields/],
  ] as const) {
    const terms = () => termsOf({ ...making, patch: { ...definition, ...more } })
    if (words) t.throws(terms, words, JSON.stringify(more))
    else t.ok(terms())
  }
})
