import type { RequestView } from '../../../../proto/access/grants/request.ts'
import { AccessTitle } from '../../html/access-title.tsx'
import { StatusMark } from '../../html/status-mark.tsx'
import { DataTable, type TableColumn } from '../../../html/table.tsx'
import type { Visit } from '../../visit.ts'
import { clientName, objectNameOf } from '../../words/names.ts'
import { fromNow } from '../../../html/times.ts'

/** The columns of all lists of requests. */
export function requestColumns(visit: Visit): readonly TableColumn<RequestView>[] {
  return [
    {
      label: 'Requested access',
      isHead: true,
      cell: ({ id, terms }) => (
        <AccessTitle visit={visit} href={visit.at(`/requests/${id}`)} of={terms} />
      ),
    },
    ...(visit.isStaff
      ? [{ label: 'Client', cell: ({ tenant }: RequestView) => clientName(visit, tenant) }]
      : []),
    { label: 'Requested by', cell: ({ requestedBy }) => objectNameOf(visit, requestedBy.id) },
  ]
}

export const RequestTable = ({
  visit,
  rows,
  caption,
}: {
  visit: Visit
  rows: readonly RequestView[]
  caption: string
}) => {
  const columns: readonly TableColumn<RequestView>[] = [
    ...requestColumns(visit),
    { label: 'Status', cell: (request) => <RequestStatusMark of={request} /> },
    { label: 'Age', cell: ({ createdAtMs }) => fromNow(createdAtMs, visit.now) },
  ]
  return <DataTable caption={caption} columns={columns} rows={rows} />
}

export const RequestStatusMark = ({ of: { status, terms } }: { of: RequestView }) => (
  <>
    <StatusMark of={status} />
    {terms.emergency ? (
      <>
        {' '}
        <StatusMark of="critical" label="Emergency" />
      </>
    ) : (
      ''
    )}
  </>
)
