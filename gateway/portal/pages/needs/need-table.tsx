import type { NeedView } from '../../../../proto/access/engagement/need.ts'
import { DueDay } from '../../../html/parts.tsx'
import { StatusMark } from '../../html/status-mark.tsx'
import { DataTable, type TableColumn } from '../../../html/table.tsx'
import type { Visit } from '../../visit.ts'
import { clientName, objectNameOf } from '../../words/names.ts'
import { toWords } from '../../words/words.ts'

export const NeedTable = ({
  visit,
  needs,
  caption,
}: {
  visit: Visit
  needs: readonly NeedView[]
  caption: string
}) => {
  const client: readonly TableColumn<NeedView>[] = visit.isStaff
    ? [{ label: 'Client', cell: ({ tenant }) => clientName(visit, tenant) }]
    : []
  const columns: readonly TableColumn<NeedView>[] = [
    {
      label: 'Need',
      isHead: true,
      cell: ({ id, title }) => <a href={visit.at(`/needs/${id}`)}>{title}</a>,
    },
    ...client,
    { label: 'Status', cell: ({ status }) => <StatusMark of={status} /> },
    { label: 'Kind', cell: ({ category }) => toWords(category) },
    { label: 'Responsible', cell: ({ ownerId }) => objectNameOf(visit, ownerId) },
    {
      label: 'Expected end',
      cell: ({ expectedEndAtMs }) => (
        <DueDay ms={expectedEndAtMs} zone={visit.zone} now={visit.now} />
      ),
    },
  ]
  return <DataTable caption={caption} columns={columns} rows={needs} />
}
