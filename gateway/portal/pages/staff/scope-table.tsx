import type { ScopeView } from '../../../../proto/access/engagement/scope.ts'
import { DueDay } from '../../../html/parts.tsx'
import { StatusMark } from '../../html/status-mark.tsx'
import { DataTable, type TableColumn } from '../../../html/table.tsx'
import type { Visit } from '../../visit.ts'
import { clientName, scopeName } from '../../words/names.ts'
import { plural } from '../../../html/plural.ts'
import { toWords } from '../../words/words.ts'

export const ScopeTable = ({
  visit,
  rows,
  caption,
}: {
  visit: Visit
  rows: readonly ScopeView[]
  caption: string
}) => {
  const columns: readonly TableColumn<ScopeView>[] = [
    {
      label: 'Service scope',
      isHead: true,
      cell: ({ id }) => <a href={visit.at(`/scopes/${id}`)}>{scopeName(visit, id)}</a>,
    },
    { label: 'Client', cell: ({ tenant }) => clientName(visit, tenant) },
    { label: 'Status', cell: (scope) => <ScopeStatusMark of={scope} /> },
    { label: 'Areas', cell: (scope) => plural(termsOf(scope)?.areas.length ?? 0, 'area') },
    { label: 'Paths', cell: (scope) => (termsOf(scope)?.paths ?? []).map(toWords).join(', ') },
    { label: 'Ends', cell: (scope) => <End visit={visit} of={scope} /> },
  ]
  return <DataTable caption={caption} columns={columns} rows={rows} />
}

/** The current terms, otherwise the proposed ones. */
export const termsOf = ({ current, proposal }: ScopeView) => current ?? proposal

const End = ({ visit, of }: { visit: Visit; of: ScopeView }) => {
  const terms = termsOf(of)
  return terms ? <DueDay ms={terms.effectiveToMs} zone={visit.zone} now={visit.now} /> : <>–</>
}

/** An active scope may also have a proposal waiting. */
export const ScopeStatusMark = ({ of: { status, proposal, current } }: { of: ScopeView }) => (
  <>
    <StatusMark of={status} />
    {proposal && current && status === 'active' ? (
      <>
        {' '}
        <StatusMark of="proposed" label="Change proposed" />
      </>
    ) : (
      ''
    )}
  </>
)
