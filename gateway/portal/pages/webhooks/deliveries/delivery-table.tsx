/** Deliveries as a table: event, status, and the receiver's last answer. */
import { StatusMark } from '../../../html/status-mark.tsx'
import { DataTable, type TableColumn } from '../../../../html/table.tsx'
import { TimeText } from '../../../../html/parts.tsx'
import type { Visit } from '../../../visit.ts'
import { clientName } from '../../../words/names.ts'
import type { DeliveryData } from '../lookup.ts'
import { deliveryWords, shortErrorWords } from '../words.ts'

export const DeliveryStatusMark = ({ of: { status } }: { of: Pick<DeliveryData, 'status'> }) => (
  <StatusMark of={status === 'pending' ? 'waiting' : status} label={deliveryWords[status]} />
)

export const DeliveryTable = ({
  visit,
  rows,
  caption,
  isOfOne,
}: {
  visit: Visit
  rows: readonly DeliveryData[]
  caption: string
  /** All deliveries are of one endpoint, which the page names. */
  isOfOne?: boolean
}) => <DataTable caption={caption} rows={rows} columns={columns(visit, isOfOne ?? false)} />

const columns = (visit: Visit, isOfOne: boolean): readonly TableColumn<DeliveryData>[] => [
  {
    label: 'Event',
    isHead: true,
    cell: ({ id, event_type: type }) => <a href={visit.at(`/webhooks/deliveries/${id}`)}>{type}</a>,
  },
  {
    label: 'When',
    cell: ({ created_at: at }) => <TimeText ms={Date.parse(at)} zone={visit.zone} />,
  },
  ...(isOfOne
    ? []
    : [
        {
          label: 'Endpoint',
          cell: ({ endpoint_id: id }: DeliveryData) => (
            <a class="breaks" href={visit.at(`/webhooks/${id}`)}>
              {hostOf(visit.find('endpoint', id)?.url)}
            </a>
          ),
        },
      ]),
  ...(visit.isStaff && !isOfOne
    ? [
        {
          label: 'Client',
          cell: ({ client_id: id }: DeliveryData) => clientName(visit, id ?? ''),
        },
      ]
    : []),
  { label: 'Status', cell: (delivery) => <DeliveryStatusMark of={delivery} /> },
  { label: 'Attempts', isNumber: true, cell: ({ attempt }) => String(attempt) },
  { label: 'Last response', cell: (delivery) => answerWord(delivery) },
]

const hostOf = (url: string | undefined): string =>
  url !== undefined && URL.canParse(url) ? new URL(url).host : 'Removed'

function answerWord({ attempts }: DeliveryData): string {
  const last = attempts.at(-1)
  if (!last) return '–'
  if (last.status_code !== undefined) return String(last.status_code)
  return last.error === undefined ? '–' : shortErrorWords(last.error)
}
