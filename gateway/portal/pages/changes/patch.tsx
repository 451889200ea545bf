/**
 * What a change writes, field by field. The record's current values are shown only through a grant
 * of the reader; a change gives no access to records.
 */
import { areaRules } from '../../../../proto/access/areas.ts'
import type { RecordFields } from '../../../../proto/access/areas/define-area.ts'
import { areaDefinitions } from '../../../../proto/access/areas/registry.ts'
import type { ChangeView } from '../../../../proto/access/change.ts'
import { customAccess, type ChangeWork } from '../../../../proto/access/change-terms.ts'
import { seenFields } from '../../../../runtime/access/records/record-json.ts'
import { mergePatch } from '../../../../runtime/access/records/merge-patch.ts'
import { permissionFor } from '../../../access/access.ts'
import type { Markup } from '../../../html/markup.ts'
import { Table, type Column } from '../../html/table.tsx'
import type { Visit } from '../../visit.ts'
import { words } from '../../words/words.ts'
import { valueOf } from '../records/values.tsx'
import type { SeenTarget } from './thing.tsx'

/** The record to compare with. */
interface Before {
  readonly fields: RecordFields
  readonly version: number
  /** Whether the reader may see a field. */
  readonly shows: (name: string) => boolean
}

type Work = Exclude<ChangeWork, { readonly does: 'nothing' }>

function beforeOf(visit: Visit, work: Work, target: SeenTarget | undefined): Before | undefined {
  if (work.does === 'create') return undefined
  if (work.on === customAccess) {
    const custom = visit.find('custom', work.id)
    return (
      custom && { fields: { ...custom.definition }, version: custom.version, shows: () => true }
    )
  }
  if (!target) return undefined
  const { record, seenBy } = target
  const permission = permissionFor(seenBy.access, work.on, 'read') ?? {}
  const seen = seenFields(areaDefinitions[work.on], permission)
  return { fields: record, version: record.version, shows: (name) => seen.includes(name) }
}

export const Patch = ({
  visit,
  change,
  target,
}: {
  visit: Visit
  change: ChangeView
  target: SeenTarget | undefined
}) => {
  const { work } = change.terms
  if (work.does === 'nothing') {
    return (
      <p>
        Nothing in the records here: what is done is done outside, and its evidence is kept with the
        change.
      </p>
    )
  }
  const before = beforeOf(visit, work, target)
  if (work.does === 'delete') return <p>The whole of it is removed. Nothing else is written.</p>
  const isDone = change.status === 'done'
  const rows = Object.entries(work.patch).map(([name, value]) => ({ name, value }))
  if (rows.length === 0) return <p>No field has a value of its own: all are left as they begin.</p>
  const columns =
    work.does === 'create' ? created(visit) : updated(visit, work.patch, before, isDone)
  const caption =
    work.does === 'create'
      ? 'Fields that it begins with; the others are empty'
      : 'Fields that are written; the others stay as they are'
  return (
    <>
      <Table caption={caption} columns={columns} rows={rows} />
      <Notes visit={visit} work={work} before={before} isDone={isDone} />
    </>
  )
}

interface Row {
  readonly name: string
  readonly value: unknown
}

const fieldColumn: Column<Row> = { label: 'Field', isHead: true, cell: ({ name }) => words(name) }
const hiddenValue = <span class="quiet">Not in your access</span>
const removed = <em>Removed</em>

const created = (visit: Visit): readonly Column<Row>[] => [
  fieldColumn,
  { label: 'Value', cell: ({ name, value }) => valueOf(visit, name, value) },
]

/**
 * Columns for a patch. For a completed change, the written values stand beside the current ones.
 */
function updated(
  visit: Visit,
  patch: RecordFields,
  before: Before | undefined,
  isDone: boolean,
): readonly Column<Row>[] {
  const now: Column<Row> = {
    label: 'Now',
    cell: ({ name }) => {
      if (!before?.shows(name)) return hiddenValue
      return valueOf(visit, name, before.fields[name])
    },
  }
  const after: Column<Row> = {
    label: isDone ? 'Written' : 'Afterwards',
    cell: ({ name, value }): Markup => {
      if (value === null) return removed
      // The patch may contain only parts of an object; they are merged if the rest is known.
      const isPart = before === undefined || isDone || !before.shows(name)
      const shown = isPart ? value : mergePatch(before.fields, patch)[name]
      return <strong class="written">{valueOf(visit, name, shown)}</strong>
    },
  }
  return isDone ? [fieldColumn, after, now] : [fieldColumn, now, after]
}

const Notes = ({
  visit,
  work,
  before,
  isDone,
}: {
  visit: Visit
  work: Work
  before: Before | undefined
  isDone: boolean
}) => {
  if (work.does === 'create' || isDone) return <></>
  if (!before) {
    const area = work.on === customAccess ? 'Custom access' : areaRules[work.on].label
    return (
      <p class="quiet below">
        What it says now is not shown: no grant of yours for the portal includes {area}.{' '}
        <a href={visit.at('/ask')}>Ask for access</a>
      </p>
    )
  }
  if (before.version === work.version) return <></>
  return (
    <p class="below">
      It was thought out for version {work.version}, and there is version {before.version} by now.
      Where a field is another one, the change comes back and is decided on again.
    </p>
  )
}
