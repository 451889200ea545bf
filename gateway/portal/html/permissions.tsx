/** Permissions in words: which actions on which records. */
import { isCustomArea, rulesOf, slugOf, type PermittedArea } from '../../../proto/access/areas.ts'
import type { Permission } from '../../../proto/access/permissions.ts'
import { words } from '../words/words.ts'
import { Table, type Column } from './table.tsx'

const columns: readonly Column<Permission>[] = [
  { label: 'Area', isHead: true, cell: ({ area }) => areaWord(area) },
  { label: 'May', cell: ({ actions }) => actions.map(words).join(', ') },
  { label: 'Fields', cell: ({ fields }) => fieldsWord(fields) },
  { label: 'Records', cell: ({ where }) => whereWord(where) },
  { label: 'Kind of data', cell: ({ area }) => words(rulesOf(area).sensitivity) },
]

/** Custom access is named by the slug of its view. */
const areaWord = (area: PermittedArea): string =>
  isCustomArea(area) ? `${rulesOf(area).label} “${slugOf(area)}”` : rulesOf(area).label

export const Permissions = ({ of, caption }: { of: readonly Permission[]; caption: string }) => (
  <Table caption={caption} columns={columns} rows={of} />
)

export const fieldsWord = (fields: Permission['fields']): string =>
  fields ? fields.map(words).join(', ') : 'All'

export const whereWord = (where: Permission['where']): string =>
  where
    ? where.map(({ field, equals }) => `${words(field)} is ${equals.join(' or ')}`).join(', and ')
    : 'All'

/** For example `Contacts: read · Tasks: read, write`. */
export const permissionsWord = (of: readonly Permission[]): string =>
  of.map(({ area, actions }) => `${areaWord(area)}: ${actions.join(', ')}`).join(' · ')
