/** Deliveries as a table: event, status, and the receiver's last answer. */
import { Status } from '../../html/parts.tsx'
import { Table, type Column } from '../../html/table.tsx'
import { Time } from '../../html/parts.tsx'
import type { Visit } from '../../visit.ts'
import { clientName } from '../../words/names.ts'
import type { Delivery } from './found.ts'
import { deliveryWords, shortErrorWords } from './words.ts'

export const DeliveryStatus = ({ of: { status } }: { of: Pick<Delivery, 'status'> }) => (
  <Status of={status === 'pending' ? 'waiting' : status} label={deliveryWords[status]} />
)

export const DeliveryTable = ({
  visit,
  rows,
  caption,
  isOfOne,
}: {
  visit: Visit
  rows: readonly Delivery[]
  caption: string
  /** All deliveries are of one endpoint, which the page names. */
  isOfOne?: boolean
}) => <Table caption={caption} rows={rows} columns={columns(visit, isOfOne ?? false)} />

const columns = (visit: Visit, isOfOne: boolean): readonly Column<Delivery>[] => [
  {
    label: 'Event',
    isHead: true,
    cell: ({ id, event_type: type }) => <a href={visit.at(`/webhooks/deliveries/${id}`)}>{type}</a>,
  },
  {
    label: 'When',
    cell: ({ created_at: at }) => <Time ms={Date.parse(at)} zone={visit.zone} />,
  },
  ...(isOfOne
    ? []
    : [
        {
          label: 'Endpoint',
          cell: ({ endpoint_id: id }: Delivery) => (
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
          cell: ({ client_id: id }: Delivery) => clientName(visit, id ?? ''),
        },
      ]
    : []),
  { label: 'State', cell: (delivery) => <DeliveryStatus of={delivery} /> },
  { label: 'Attempts', isNumber: true, cell: ({ attempt }) => String(attempt) },
  { label: 'Last answer', cell: (delivery) => answerWord(delivery) },
]

const hostOf = (url: string | undefined): string =>
  url !== undefined && URL.canParse(url) ? new URL(url).host : 'Removed'

function answerWord({ attempts }: Delivery): string {
  const last = attempts.at(-1)
  if (!last) return '–'
  if (last.status_code !== undefined) return String(last.status_code)
  return last.error === undefined ? '–' : shortErrorWords(last.error)
}
