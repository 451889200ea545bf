/** Permissions in words: which actions on which records. */
import {
  isCustomArea,
  areaRulesOf,
  customAreaSlug,
  type PermittedArea,
} from '../../../proto/access/areas/areas.ts'
import type { Permission } from '../../../proto/access/permissions.ts'
import { toWords } from '../words/words.ts'
import { plural } from '../../html/plural.ts'
import { DataTable, type TableColumn } from '../../html/table.tsx'

const columns: readonly TableColumn<Permission>[] = [
  { label: 'Area', isHead: true, cell: ({ area }) => areaWord(area) },
  { label: 'Actions', cell: ({ actions }) => actions.map(toWords).join(', ') },
  { label: 'Fields', cell: ({ fields }) => fieldsWord(fields) },
  { label: 'Records', cell: ({ where }) => whereWord(where) },
  { label: 'Sensitivity', cell: ({ area }) => toWords(areaRulesOf(area).sensitivity) },
]

/** Custom access is named by the slug of its view. */
const areaWord = (area: PermittedArea): string =>
  isCustomArea(area)
    ? `${areaRulesOf(area).label} “${customAreaSlug(area)}”`
    : areaRulesOf(area).label

export const PermissionTable = ({
  of,
  caption,
}: {
  of: readonly Permission[]
  caption: string
}) => <DataTable caption={caption} columns={columns} rows={of} />

export const fieldsWord = (fields: Permission['fields']): string =>
  fields ? fields.map(toWords).join(', ') : 'All'

export const whereWord = (where: Permission['where']): string =>
  where
    ? where.map(({ field, equals }) => `${toWords(field)} is ${equals.join(' or ')}`).join(', and ')
    : 'All'

/** Areas with the same actions together: `Contacts, Tasks (read, write), Reports (read)`. */
export function shortPermissions(of: readonly Permission[], areasMost = of.length): string {
  const areas = new Map<string, string[]>()
  for (const { area, actions } of of.slice(0, areasMost)) {
    const key = actions.join(', ')
    areas.set(key, [...(areas.get(key) ?? []), areaWord(area)])
  }
  const groups = [...areas].map(([actions, words]) => `${words.join(', ')} (${actions})`)
  const more = of.length - areasMost
  return [...groups, ...(more > 0 ? [`and ${plural(more, 'more area')}`] : [])].join(', ')
}
