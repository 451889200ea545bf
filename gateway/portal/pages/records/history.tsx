/** The history of a record: its versions, their authors, and their differences. */
import { accessLimits as limits } from '../../../../proto/access/limits.ts'
import type { FieldChange, RecordVersion } from '../../../../runtime/access/records/history.ts'
import { TimeText } from '../../../html/parts.tsx'
import { DataTable, type TableColumn } from '../../../html/table.tsx'
import type { Visit } from '../../visit.ts'
import { objectNameOf } from '../../words/names.ts'
import { toWords } from '../../words/words.ts'
import { valueMarkup } from './values.tsx'

export const RecordHistory = ({
  visit,
  versions,
}: {
  visit: Visit
  versions: readonly RecordVersion[]
}) => (
  <>
    <DataTable caption="Newest first" columns={columnsOf(visit)} rows={versions} />
    {versions.at(-1)!.version === 1 ? (
      ''
    ) : (
      <p class="quiet">
        The last {limits.recordHistory} versions are kept; you see what your access includes. The
        audit shows who made earlier changes.
      </p>
    )}
  </>
)

const actions: Readonly<Record<RecordVersion['action'], string>> = {
  ...{ create: 'Created', import: 'Imported', update: 'Updated', delete: 'Deleted' },
}

const columnsOf = (visit: Visit): readonly TableColumn<RecordVersion>[] => [
  { label: 'Version', isHead: true, cell: ({ version }) => String(version) },
  { label: 'When', cell: ({ at }) => <TimeText ms={Date.parse(at)} zone={visit.zone} /> },
  {
    label: 'Author',
    cell: ({ by }) => (by === undefined ? 'Hidden' : objectNameOf(visit, by)),
  },
  { label: 'Change', cell: (version) => whatOf(visit, version) },
]

function whatOf(visit: Visit, { version, action, changes, changed_fields: fields }: RecordVersion) {
  if (version === 1) return actions[action]
  if (changes && changes.length > 0) {
    return (
      <ul class="changes">
        {changes.map((change) => (
          <li>{changeOf(visit, change)}</li>
        ))}
      </ul>
    )
  }
  const named = fields.map(toWords).join(', ')
  return named === '' ? actions[action] : `${actions[action]}: ${named}`
}

/** For example `Status: Waiting → Completed`; for long values only that they changed. */
function changeOf(visit: Visit, { field, from, to }: FieldChange) {
  const label = toWords(field)
  if (!isShort(from) || !isShort(to)) return `${label} changed`
  return (
    <>
      {label}: {valueMarkup(visit, field, from)} <span aria-hidden="true">→</span>
      <span class="hidden"> became </span> {valueMarkup(visit, field, to)}
    </>
  )
}

const isShort = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.length <= limits.tagChars
    : value === undefined || value === null || typeof value !== 'object'
