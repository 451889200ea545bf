/**
 * What a change writes, field by field. The record's current values are shown only through a grant
 * of the reader; a change gives no access to records.
 */
import { areaRules } from '../../../../../proto/access/areas/areas.ts'
import type { RecordFields } from '../../../../../proto/access/areas/define-area.ts'
import { areaDefinitions } from '../../../../../proto/access/areas/registry.ts'
import type { ChangeView } from '../../../../../proto/access/changes/change.ts'
import { customAccess, type ChangeWork } from '../../../../../proto/access/changes/change-terms.ts'
import { visibleFields } from '../../../../../runtime/access/records/record-json.ts'
import { mergePatch } from '../../../../../runtime/access/records/merge-patch.ts'
import { permissionFor } from '../../../../access/gate/access.ts'
import type { Markup } from '../../../../html/markup.ts'
import { DataTable, type TableColumn } from '../../../../html/table.tsx'
import type { Visit } from '../../../visit.ts'
import { toWords } from '../../../words/words.ts'
import { valueMarkup } from '../../records/values.tsx'
import type { VisibleTarget } from './target.tsx'

/** The record to compare with. */
interface Before {
  readonly fields: RecordFields
  readonly version: number
  /** Whether the reader may see a field. */
  readonly shows: (name: string) => boolean
}

type Work = Exclude<ChangeWork, { readonly does: 'nothing' }>

function beforeOf(visit: Visit, work: Work, target: VisibleTarget | undefined): Before | undefined {
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
  const seen = visibleFields(areaDefinitions[work.on], permission)
  return { fields: record, version: record.version, shows: (name) => seen.includes(name) }
}

export const ChangePatchTable = ({
  visit,
  change,
  target,
}: {
  visit: Visit
  change: ChangeView
  target: VisibleTarget | undefined
}) => {
  const { work } = change.terms
  if (work.does === 'nothing') {
    return (
      <p>
        This change writes no records here. The work is done elsewhere, and its evidence is kept
        with the change.
      </p>
    )
  }
  const before = beforeOf(visit, work, target)
  if (work.does === 'delete') return <p>The target is deleted. Nothing else is written.</p>
  const isDone = change.status === 'done'
  const rows = Object.entries(work.patch).map(([name, value]) => ({ name, value }))
  if (rows.length === 0) return <p>No field is set. All fields keep their initial values.</p>
  const columns =
    work.does === 'create' ? createColumns(visit) : updateColumns(visit, work.patch, before, isDone)
  const caption =
    work.does === 'create'
      ? 'Fields of the new record; all others are empty'
      : 'Fields that are written; all others stay unchanged'
  return (
    <>
      <DataTable caption={caption} columns={columns} rows={rows} />
      <Notes visit={visit} work={work} before={before} isDone={isDone} />
    </>
  )
}

interface Row {
  readonly name: string
  readonly value: unknown
}

const fieldColumn: TableColumn<Row> = {
  label: 'Field',
  isHead: true,
  cell: ({ name }) => toWords(name),
}
const hiddenValue = <span class="quiet">Not in your access</span>
const removed = <em>Removed</em>

const createColumns = (visit: Visit): readonly TableColumn<Row>[] => [
  fieldColumn,
  { label: 'Value', cell: ({ name, value }) => valueMarkup(visit, name, value) },
]

/**
 * Columns for a patch. For a completed change, the written values stand beside the current ones.
 */
function updateColumns(
  visit: Visit,
  patch: RecordFields,
  before: Before | undefined,
  isDone: boolean,
): readonly TableColumn<Row>[] {
  const now: TableColumn<Row> = {
    label: 'Current',
    cell: ({ name }) => {
      if (!before?.shows(name)) return hiddenValue
      return valueMarkup(visit, name, before.fields[name])
    },
  }
  const after: TableColumn<Row> = {
    label: isDone ? 'Written' : 'New',
    cell: ({ name, value }): Markup => {
      if (value === null) return removed
      // The patch may contain only parts of an object; they are merged if the rest is known.
      const isPart = before === undefined || isDone || !before.shows(name)
      const shown = isPart ? value : mergePatch(before.fields, patch)[name]
      return <strong class="written">{valueMarkup(visit, name, shown)}</strong>
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
        Current values are hidden, because none of your portal grants includes {area}.{' '}
        <a href={visit.at('/ask')}>Request access</a>
      </p>
    )
  }
  if (before.version === work.version) return <></>
  return (
    <p class="below">
      The change was prepared for version {work.version}; the current version is {before.version}.
      If a field it writes has changed since, the change is returned and must be reviewed again.
    </p>
  )
}
