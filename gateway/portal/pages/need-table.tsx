import type { NeedView } from '../../../proto/access/need.ts'
import { Due, Status } from '../html/parts.tsx'
import { Table, type Column } from '../html/table.tsx'
import type { Visit } from '../visit.ts'
import { clientName, nameOf } from '../words/names.ts'
import { words } from '../words/words.ts'

export const NeedTable = ({
  visit,
  needs,
  caption,
}: {
  visit: Visit
  needs: readonly NeedView[]
  caption: string
}) => {
  const client: readonly Column<NeedView>[] = visit.isStaff
    ? [{ label: 'Client', cell: ({ tenant }) => clientName(visit, tenant) }]
    : []
  const columns: readonly Column<NeedView>[] = [
    {
      label: 'Need',
      isHead: true,
      cell: ({ id, title }) => <a href={visit.at(`/needs/${id}`)}>{title}</a>,
    },
    ...client,
    { label: 'Status', cell: ({ status }) => <Status of={status} /> },
    { label: 'Kind', cell: ({ category }) => words(category) },
    { label: 'Answers for it', cell: ({ ownerId }) => nameOf(visit, ownerId) },
    {
      label: 'Expected end',
      cell: ({ expectedEndAtMs }) => <Due ms={expectedEndAtMs} zone={visit.zone} now={visit.now} />,
    },
  ]
  return <Table caption={caption} columns={columns} rows={needs} />
}
