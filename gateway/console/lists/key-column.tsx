/** Who a session or a task belongs to: the key that created it and, for admins, its tenant. */
import type { TableColumn } from '../../html/table.tsx'
import type { ConsoleVisit } from '../visit.ts'

interface Owned {
  readonly tenant: string
  readonly keyName: string
}

export const keyColumn = ({ isAdmin }: ConsoleVisit): TableColumn<Owned> => ({
  label: isAdmin ? 'Key, tenant' : 'Key',
  cell: ({ keyName, tenant }) => (
    <>
      <bdi>{keyName}</bdi>
      {isAdmin ? <bdi class="tenant">{tenant}</bdi> : ''}
    </>
  ),
})
