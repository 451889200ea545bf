/** Totals over all hosts: browsers that are warm, in use and waited for. */
import type { BrowserLoad } from '../../../../proto/host.ts'
import { NoticeBox } from '../../../html/parts.tsx'
import type { ProcessFacts } from '../../../service/admin/processes.ts'

type Figure = Exclude<keyof BrowserLoad, 'ready' | 'counts' | 'connections'>

const figures: readonly { readonly name: Figure; readonly label: string }[] = [
  { name: 'warm', label: 'warm browsers' },
  { name: 'claimed', label: 'in use' },
  { name: 'capacity', label: 'sessions at most' },
  { name: 'queued', label: 'callers waiting' },
]

export const HostSummary = ({ hosts }: { hosts: readonly ProcessFacts[] }) => {
  const open = hosts.filter(({ record }) => record.state === 'alive')
  const sum = (name: Figure) =>
    open.reduce((total, { record }) => total + (record.browsers?.[name] ?? 0), 0)
  const isDrained = open.length === 0 && hosts.some(({ record }) => record.state === 'draining')
  const isReady = open.some(({ record }) => record.browsers?.ready)
  return (
    <div id="host-summary">
      {isReady ? (
        ''
      ) : (
        <NoticeBox tone="bad" title="No browser is available right now">
          <p>
            {isDrained ? (
              'All browser hosts are draining, so new sessions are refused. Undrain one below, or start another one.'
            ) : (
              <>
                No browser host is ready, so new sessions are refused. Check the states below, and
                run <code>npm run troupe -- doctor</code> on a browser host.
              </>
            )}
          </p>
        </NoticeBox>
      )}
      <ul class="figures" aria-label="Browsers of all hosts that accept sessions">
        {figures.map(({ name, label }) => (
          <li>
            <b>{String(sum(name))}</b> {label}
          </li>
        ))}
      </ul>
    </div>
  )
}
