/** Changes of one client for tests: a monitor, and people who may and may not decide. */
import type { AreaKey } from '../../../../proto/access/areas/areas.ts'
import type { RecordFields } from '../../../../proto/access/areas/define-area.ts'
import { areaPrefixes } from '../../../../proto/access/areas/prefixes.ts'
import { systemAuthor, type Author } from '../../../../proto/access/author.ts'
import { changeActor, type ChangeView } from '../../../../proto/access/changes/change.ts'
import {
  changeTerms,
  changeTermsOf,
  type ChangeTerms,
} from '../../../../proto/access/changes/change-terms.ts'
import { createdRecord } from '../../../../runtime/access/records/change.ts'
import type { RecordStore } from '../../../../runtime/access/records/record-store.ts'
import { accessIdOf, because, client, mine, need, reviewOf, type Asked } from './story.ts'

const staff = (n: number, ...roles: NonNullable<Author['roles']>): Author => ({
  kind: 'staff',
  id: accessIdOf('person', n),
  roles,
})
export const proposer = staff(30, 'operator')
export const manager = staff(31, 'change_manager')
export const secondManager = staff(32, 'change_manager')
export const implementer = staff(33, 'operator')

export const hourMs = 3_600_000
/** The id of the nth record of an area. */
export const recordIdOf = (area: AreaKey, n = 1): string =>
  `${areaPrefixes[area]}_${String(n).padStart(26, '0')}`
export const monitor = recordIdOf('monitoring')

export const monitorFields: RecordFields = {
  name: 'Shop',
  kind: 'http',
  target: 'https://shop.example/health',
  interval_s: 300,
}

export const makeRecord = (
  records: RecordStore,
  nowMs: number,
  { area = 'monitoring' as AreaKey, id = monitor, fields = monitorFields } = {},
) =>
  records.create(
    createdRecord(
      { client, area, id, fields, action: 'import' },
      { by: systemAuthor('import') },
      nowMs,
    ),
  )

const body = {
  title: 'Ask the shop more often',
  kind: 'monitoring',
  need_id: need,
  target: { id: monitor, version: 1 },
  patch: { interval_s: 60 },
  impact: 'Nobody notices it.',
  test_plan: 'A check comes each minute.',
  rollback_plan: 'Set the interval back.',
}

/** The body of a change over REST. A field set to undefined is left out. */
export function termsOf(more: Readonly<Record<string, unknown>> = {}): ChangeTerms {
  const all = Object.entries({ ...body, ...more }).filter(([, value]) => value !== undefined)
  return changeTermsOf(changeTerms.parse(Object.fromEntries(all)))
}

/** The verbs of one change, each sent by a person who may send it. */
export function changeOn(directory: Asked, n = 1) {
  const id = accessIdOf('change', n)
  const settled = { ...mine, untilSettled: true }
  const view = async (asked: Promise<{ readonly view: ChangeView }>) => (await asked).view
  const reasoned = (type: 'fail' | 'roll_back' | 'cancel' | 'post_review', by: Author) =>
    view(directory.ask(changeActor, id, { type, by, reason: because }, mine))
  return {
    id,
    draft: (terms: ChangeTerms, createdAtMs: number, by = proposer) =>
      view(directory.create(changeActor, id, { id, tenant: client, by, createdAtMs, terms }, mine)),
    get: () => view(directory.ask(changeActor, id, { type: 'get' }, settled)),
    revise: (terms: ChangeTerms, by = proposer) =>
      view(directory.ask(changeActor, id, { type: 'revise', by, terms }, mine)),
    propose: (by = proposer) =>
      view(directory.ask(changeActor, id, { type: 'propose', by }, settled)),
    review: (by: Author, seen: ChangeView, decision?: Parameters<typeof reviewOf>[2]) =>
      view(directory.ask(changeActor, id, reviewOf(by, seen.digest, decision), mine)),
    schedule: (startMs: number, endMs: number, by = manager) => {
      const window = { startMs, endMs }
      return view(directory.ask(changeActor, id, { type: 'schedule', by, window }, settled))
    },
    start: (by = implementer) => view(directory.ask(changeActor, id, { type: 'start', by }, mine)),
    complete: (by = implementer) => {
      const told = { evidence: ['https://ci.example/1'], notes: '' }
      return view(directory.ask(changeActor, id, { type: 'complete', by, ...told }, settled))
    },
    fail: (by = implementer) => reasoned('fail', by),
    rollBack: (by = implementer) => reasoned('roll_back', by),
    cancel: (by = proposer) => reasoned('cancel', by),
    postReview: (by: Author) => reasoned('post_review', by),
  }
}
