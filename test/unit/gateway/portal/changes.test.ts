// Goal: a change's form writes only what differs, a month has its weeks, two windows collide only
// on one target, and a history says who took each step. All of it pure functions.
import t from 'tap'
import type { ChangeView } from '../../../../proto/access/changes/change.ts'
import { systemAuthor } from '../../../../proto/access/author.ts'
import { historyAfter } from '../../../../actors/access/change/apply/history.ts'
import { SubmittedForm } from '../../../../gateway/html/forms/form.ts'
import { collisionsWith } from '../../../../gateway/portal/pages/changes/collisions.ts'
import {
  fieldSpecsOf,
  templateFieldSpecs,
} from '../../../../gateway/portal/pages/changes/form/spec.ts'
import { typedPatchOf } from '../../../../gateway/portal/pages/changes/form/form-values.ts'
import { calendarMonthOf } from '../../../../gateway/portal/pages/changes/lists/month.ts'
import { localText, momentIn } from '../../../../gateway/html/times.ts'
import { technicalAreas } from '../../../../proto/access/areas/areas.ts'
import { areaDefinitions } from '../../../../proto/access/areas/registry.ts'
import { changeTemplates } from '../../../../proto/access/changes/change-templates.ts'

const formOf = (fields: Readonly<Record<string, string>>) =>
  new SubmittedForm(new URLSearchParams(fields))
const monitor = fieldSpecsOf('monitoring')
const zone = 'Europe/Berlin'

t.test(
  'every field that a change may write has an input, and only a JSON schema is edited as JSON',
  async (t) => {
    const json: string[] = []
    for (const area of technicalAreas) {
      const specs = fieldSpecsOf(area)
      const { fields } = areaDefinitions[area]
      t.same(
        specs.map(({ name }) => name),
        Object.keys(fields.shape),
        area,
      )
      json.push(...specs.filter(({ kind }) => kind.type === 'json').map(({ name }) => name))
    }
    t.same(json, ['inputs_schema'])
    for (const template of changeTemplates) {
      const names = templateFieldSpecs(template).map(({ name }) => name)
      t.same(names, Object.keys(template.patch.shape), template.id)
    }
  },
)

t.test('the patch is the difference to the record, by the texts of its fields', async (t) => {
  const before = {
    ...{ name: 'Shop', kind: 'http', target: 'https://shop.example', interval_s: 300 },
    ...{ status: 'up', last_check_at: '2026-11-22T10:00:12.345Z', latency: { p50: 12, p95: 40 } },
    incidents: [{ started_at: '2026-11-01T00:00:00.000Z', cause: 'Rain' }],
  }
  const untouched = {
    ...{ 'patch.name': 'Shop', 'patch.kind': 'http', 'patch.target': 'https://shop.example' },
    ...{ 'patch.interval_s': '300', 'patch.status': 'up', 'patch.latency.p50': '12' },
    ...{ 'patch.last_check_at': '2026-11-22T11:00', 'patch.latency.p95': '40' },
    ...{ 'patch.incidents.0.started_at': '2026-11-01T01:00', 'patch.incidents.0.cause': 'Rain' },
    ...{ 'patch.incidents.1.started_at': '', 'patch.incidents.1.cause': '' },
  }
  const patch = (more: Readonly<Record<string, string>>) =>
    typedPatchOf(monitor, { form: formOf({ ...untouched, ...more }), zone, before, isNew: false })
  t.same(patch({}), {}, 'nothing was edited')
  t.same(patch({ 'patch.interval_s': '60' }), { interval_s: 60 })
  t.same(
    patch({ 'patch.interval_s': 'often' }),
    { interval_s: 'often' },
    'for the schema to refuse',
  )
  t.same(patch({ 'patch.last_check_at': '' }), { last_check_at: null })
  t.same(patch({ 'patch.latency.p95': '50' }), { latency: { p95: 50 } }, 'a part of an object')
  t.same(patch({ 'patch.latency.p50': '', 'patch.latency.p95': '' }), { latency: null })
  t.same(patch({ 'patch.incidents.0.started_at': '', 'patch.incidents.0.cause': '' }), {
    incidents: [],
  })
  const added = { 'patch.incidents.1.started_at': '2026-11-02T01:00' }
  t.same(patch(added), {
    incidents: [
      { started_at: '2026-11-01T00:00:00.000Z', cause: 'Rain' },
      { started_at: '2026-11-02T00:00:00.000Z' },
    ],
  })
})

t.test('for hidden or new records, only typed values are written', async (t) => {
  const typed = { 'patch.interval_s': '60', 'patch.name': '', 'patch.incidents.0.started_at': '' }
  for (const isNew of [true, false]) {
    const patch = typedPatchOf(monitor, { form: formOf(typed), zone, before: undefined, isNew })
    t.same(patch, { interval_s: 60 })
  }
})

t.test('a time in a zone is read as it is shown', async (t) => {
  const ms = Date.parse('2026-07-01T10:05:00.000Z')
  t.equal(localText(ms, zone), '2026-07-01T12:05')
  t.equal(momentIn('2026-07-01T12:05', zone), '2026-07-01T10:05:00.000Z')
  t.equal(momentIn('2026-07-01T12:05:30', zone), '2026-07-01T10:05:30.000Z')
  for (const text of ['', 'tomorrow', '2026-02-30T10:00', '2026-07-01']) {
    t.equal(momentIn(text, zone), text, 'for the schema to refuse')
  }
})

t.test('a month has whole weeks, Monday first', async (t) => {
  const month = calendarMonthOf('2026-02', '2026-11-22')
  t.equal(month.label, 'February 2026')
  t.same([month.before, month.after], ['2026-01', '2026-03'])
  t.same([month.weeks[0]?.[0], month.weeks.at(-1)?.at(-1)], ['2026-01-26', '2026-03-01'])
  t.equal(calendarMonthOf('2027-02', '').weeks.length, 4, 'one that begins on a Monday')
  for (const asked of [undefined, '2026-13', 'x', '1026-01']) {
    t.equal(calendarMonthOf(asked, '2026-11-22').key, '2026-11')
  }
  t.equal(calendarMonthOf('2026-12', '').after, '2027-01')
})

/** With the fields that collisions depend on. */
const planned = (id: string, startMs: number, endMs: number, more: object = {}) =>
  ({
    ...{ id, tenant: 'cli_a', status: 'approved', window: null },
    terms: {
      work: { does: 'update', on: 'monitoring', id: 'mon_1', version: 1, patch: {} },
      window: { startMs, endMs },
    },
    ...more,
  }) as unknown as ChangeView

t.test('windows collide on one target, while both are in the future', async (t) => {
  const first = planned('chg_1', 0, 10)
  const clash = (other: ChangeView) => collisionsWith(first, [first, other]).length === 1
  t.ok(clash(planned('chg_2', 9, 20)))
  t.notOk(clash(planned('chg_2', 10, 20)), 'one after the other')
  t.notOk(clash(planned('chg_2', 9, 20, { status: 'done' })))
  t.notOk(clash(planned('chg_2', 9, 20, { tenant: 'cli_b' })), 'the record of another client')
  t.ok(clash(planned('chg_2', 50, 60, { window: { startMs: 5, endMs: 6 } })), 'as it is booked')
})

t.test('a history names who took a step, and omits steps of the clock', async (t) => {
  const by = { kind: 'staff', id: 'usr_1' } as const
  const draft = [{ status: 'draft', atMs: 1, by: 'usr_0' }] as const
  const checking = historyAfter(draft, 'checking', { type: 'propose', at: 2, by })
  const proposed = historyAfter(checking, 'proposed', { type: 'checked', at: 3 })
  t.same(proposed.at(-1), { status: 'proposed', atMs: 3, by: 'usr_1' })
  t.equal(proposed.length, 2)
  const failed = historyAfter(checking, 'draft', { type: 'effect.failed', at: 3 })
  t.same(failed, draft, 'what came to nothing leads back')
  const applying = historyAfter(proposed, 'applying', { type: 'complete', at: 4, by })
  const back = historyAfter(applying, 'checking', { type: 'conflicted', at: 5 })
  const again = historyAfter(back, 'proposed', { type: 'checked', at: 6 })
  t.equal(again.at(-1)?.by, `system:${systemAuthor('change').id}`, 'it was not proposed again')
  t.same(
    historyAfter(undefined, 'draft', { type: 'xstate.init' }),
    [],
    'one that is older than this',
  )
})
