// Goal: a report is published by a second person, exactly as it was shown, and never changes
// afterwards; its record follows it. Method: its kind alone, no runtime; its record in an in-memory
// store.
import t from 'tap'
import { reportKind } from '../../../../actors/access/report/kind.ts'
import { recordOf, writeRecord } from '../../../../actors/access/report/record.ts'
import type { ReportContext } from '../../../../actors/access/report/machine.ts'
import { digestOf } from '../../../../proto/access/digest.ts'
import { accessLimits } from '../../../../proto/access/limits.ts'
import type { ReportContent } from '../../../../proto/access/reports/report-content.ts'
import { reportDigest } from '../../../../proto/access/reports/report.ts'
import { RecordStore } from '../../../../runtime/access/records/record-store.ts'
import { MemoryStore } from '../../../helpers/runtime/memory-store.ts'
import { accessIdOf } from '../../../helpers/access/actors/story.ts'
import {
  ann,
  ben,
  kindsOf,
  PlayedActor,
  reason,
  single,
  staff,
} from '../../../helpers/access/actors/actor.ts'

const store = new MemoryStore()
const records = new RecordStore(store.bucket('records'))
const kind = reportKind({
  records,
  directory: { ask: () => Promise.reject(new Error('not asked here')) },
})

const id = `rpt_${'0'.repeat(26)}` as const
const tenant = `cli_${'0'.repeat(26)}` as const
const content: ReportContent = {
  kind: 'metrics',
  title: 'March',
  summary: 'Quiet.',
  period: { from: '2026-03-01', to: '2026-03-31' },
  sections: [
    {
      ...{ heading: 'At a glance', kind: 'metric', sources: [0] },
      body: { items: [{ label: 'Tasks', value: 3, unit: 'count' }] },
    },
  ],
  sources: [{ area: 'tasks', id: `wrk_${'0'.repeat(26)}`, version: 7 }],
  audience_areas: ['tasks'],
}
const report = (more: object = {}) =>
  new PlayedActor(kind, { id, tenant, by: ann, content, ...more })
const digest = reportDigest(id, content)

t.test('a new report is a draft, and its record is written', async (t) => {
  const it = report()
  t.match(it.view(), { status: 'draft', version: 1, digest, authorIds: [ann.id] })
  t.notOk('sections' in it.view(), 'what it says is in its record alone')
  t.notOk(it.isSettled())
  it.say({ type: 'recorded', version: 1 })
  t.ok(it.isSettled())
})

t.test('the digest covers id and content, as anybody can compute it', async (t) => {
  t.equal(digest, digestOf({ id, ...content }))
  t.not(reportDigest(`rpt_${'1'.repeat(26)}`, content), digest)
})

t.test('the words of a draft can be changed, its figures cannot', async (t) => {
  const it = report()
  const remarks = [{ heading: 'Next', text: 'More of it.' }]
  t.match(kindsOf(it.say({ type: 'update', by: ben, patch: { title: 'Spring', remarks } })), [
    'record',
  ])
  t.match(it.view(), { version: 2, title: 'Spring', authorIds: [ann.id, ben.id] })
  t.not(it.view()['digest'], digest)
  it.say({ type: 'update', by: ben, patch: { title: 'March', remarks: [] } })
  t.equal(it.view()['digest'], digest, 'the same words are the same report')
  t.same(it.say({ type: 'update', by: ben, patch: { title: 'March' } }), [])
  t.equal(it.view()['version'], 3)
})

t.test('its authors cannot publish it; another person can', async (t) => {
  const it = report()
  it.say({ type: 'update', by: ben, patch: { summary: 'Busy.' } })
  const { digest: shown } = it.view()
  for (const by of [ann, ben]) {
    t.match(it.refusal({ type: 'publish', by, digest: shown }), { type: 'self_review' })
  }
  const cal = staff('cal', 'reviewer')
  t.match(it.refusal({ type: 'publish', by: cal, digest }), {
    ...{ type: 'precondition_failed', details: { version: 2 } },
  })
  it.say({ type: 'publish', by: cal, ifVersion: 2, digest: shown })
  t.match(it.view(), { status: 'published', published: { by: cal }, digest: shown })
  t.notOk(JSON.stringify(it.view()).includes('selfReviewed'))
})

t.test('a single operator publishes their own report, and it is marked', async (t) => {
  const it = report()
  it.say({ type: 'publish', by: single, digest })
  t.match(it.view(), { status: 'published', published: { selfReviewed: true } })
})

t.test('a published report accepts no other words', async (t) => {
  const it = report()
  it.say({ type: 'publish', by: ben, digest })
  const refused = it.refusal({ type: 'update', by: ben, patch: { title: 'Other' } })
  t.match(refused, { type: 'invalid_transition', details: { allowed: ['withdraw'] } })
  t.equal(it.view()['digest'], digest)
})

t.test('it tells the report that it supersedes, until that one has confirmed', async (t) => {
  const it = report({ supersedes: `rpt_${'2'.repeat(26)}` })
  it.say({ type: 'recorded', version: 1 })
  t.same(kindsOf(it.say({ type: 'publish', by: ben, digest })), ['record', 'tell_predecessor'])
  it.say({ type: 'recorded', version: 2 })
  t.notOk(it.isSettled())
  it.say({ type: 'predecessor_told' })
  t.ok(it.isSettled())
})

t.test('a superseded or withdrawn report accepts nothing more', async (t) => {
  const next = `rpt_${'3'.repeat(26)}`
  const superseded = report()
  const early = superseded.refusal({ type: 'supersede', by: ben, reportId: next })
  t.match(early, { type: 'conflict' })
  superseded.say({ type: 'publish', by: ben, digest })
  superseded.say({ type: 'supersede', by: ben, reportId: next })
  t.match(superseded.view(), { status: 'superseded', supersededBy: next, digest })
  const withdrawn = report()
  const draft = withdrawn.refusal({ type: 'withdraw', by: ben, reason })
  t.match(draft, { type: 'invalid_transition', details: { allowed: ['update', 'publish'] } })
  withdrawn.say({ type: 'publish', by: ben, digest })
  withdrawn.say({ type: 'withdraw', by: ann, reason })
  t.match(withdrawn.view(), { status: 'withdrawn', withdrawn: { by: ann, reason }, digest })
  for (const it of [superseded, withdrawn]) {
    const refused = it.refusal({ type: 'withdraw', by: ben, reason })
    t.match(refused, { type: 'invalid_transition', details: { allowed: [] } })
  }
})

t.test('people’s texts are limited in length, in any Unicode form', async (t) => {
  const remarks = Array.from({ length: 10 }, () => ({ heading: 'x', text: '報'.repeat(9_000) }))
  const refused = report().refusal({ type: 'update', by: ben, patch: { remarks } })
  t.match(refused, { type: 'too_large', details: { limit: accessLimits.reportEditedBytes } })
})

const bea = { ...ben, id: accessIdOf('person', 2) }

const state = (more: Partial<ReportContext> = {}): ReportContext => ({
  ...{ id, tenant, version: 1, content, createdAtMs: 1_000, createdBy: ann },
  ...{ updatedAtMs: 2_000, updatedBy: ann, supersedes: null, supersededBy: null },
  ...{ authorIds: [ann.id], published: null, withdrawn: null, deadlines: {} },
  ...{ recorded: 0, isPredecessorUntold: false },
  ...more,
})

t.test(
  'its record has its version, and is written once however often the write is requested',
  async (t) => {
    await writeRecord(records, state())
    await writeRecord(records, state())
    const first = await records.get(tenant, 'reports', id)
    t.match(first?.record, { version: 1, fields: { status: 'draft', digest }, createdBy: ann.id })
    const published = { by: bea, atMs: 3_000 }
    await writeRecord(records, state({ version: 3, updatedBy: bea, published }))
    // A late write of a former owner.
    await writeRecord(records, state({ version: 2 }))
    const { record } = (await records.get(tenant, 'reports', id))!
    t.match(record, { version: 3, updatedBy: bea.id, _m: { action: 'update', by: bea } })
    t.match(record.fields, { status: 'published', published_by: bea.id, sources: content.sources })
  },
)

t.test('the record of a withdrawn report contains no figures', async (t) => {
  const withdrawn = { by: bea, atMs: 4_000, reason }
  const { fields } = recordOf(
    state({ version: 4, published: { by: bea, atMs: 3_000 }, withdrawn }),
    undefined,
  )
  t.match(fields, {
    status: 'withdrawn',
    withdrawn_reason: reason,
    digest,
    sections: [],
    sources: [],
  })
  t.notOk(JSON.stringify(fields).includes('Quiet.'))
})
