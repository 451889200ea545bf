/** The progress of a change: proposed → reviewed → approved → scheduled → done. */
import type { ChangeStatus, ChangeView } from '../../../../../proto/access/changes/change.ts'

const steps: readonly { readonly label: string; readonly statuses: readonly ChangeStatus[] }[] = [
  { label: 'Draft', statuses: ['draft', 'returned'] },
  { label: 'Review', statuses: ['checking', 'proposed', 'reviewed'] },
  { label: 'Approved', statuses: ['approved', 'booking'] },
  { label: 'Scheduled', statuses: ['scheduled'] },
  { label: 'In progress', statuses: ['in_progress', 'applying'] },
  { label: 'Done', statuses: ['done'] },
]

/** Shows nothing for a change that ended early; its status says so. */
export const StateLine = ({ of: { status } }: { of: ChangeView }) => {
  const at = steps.findIndex(({ statuses }) => statuses.includes(status))
  if (at < 0) return <></>
  return (
    <ol class="steps states" aria-label="Progress">
      {steps.map(({ label }, i) => (
        <li class={i < at ? 'is-past' : undefined} aria-current={i === at ? 'step' : undefined}>
          {label}
        </li>
      ))}
    </ol>
  )
}
