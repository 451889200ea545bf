/** The columns of the board: each groups states that wait for the same thing. */
import type { ChangeStatus, ChangeView } from '../../../../../proto/access/changes/change.ts'

export interface BoardLane {
  readonly key: string
  readonly label: string
  readonly statuses: readonly ChangeStatus[]
}

export const boardLanes: readonly BoardLane[] = [
  { key: 'draft', label: 'Draft', statuses: ['draft', 'returned'] },
  { key: 'review', label: 'In review', statuses: ['checking', 'proposed', 'reviewed'] },
  { key: 'approved', label: 'Approved', statuses: ['approved', 'booking'] },
  { key: 'scheduled', label: 'Scheduled', statuses: ['scheduled'] },
  { key: 'progress', label: 'In progress', statuses: ['in_progress', 'applying'] },
  { key: 'failed', label: 'Failed', statuses: ['failed'] },
  { key: 'done', label: 'Done', statuses: ['done'] },
  { key: 'closed', label: 'Closed', statuses: ['rolled_back', 'rejected', 'cancelled'] },
]

export const boardLaneOf = ({ status }: Pick<ChangeView, 'status'>): BoardLane =>
  boardLanes.find(({ statuses }) => statuses.includes(status)) ?? boardLanes[0]!

/** True for final states. */
export const isChangeOver = ({ status }: Pick<ChangeView, 'status'>): boolean =>
  ['done', 'rolled_back', 'rejected', 'cancelled'].includes(status)
