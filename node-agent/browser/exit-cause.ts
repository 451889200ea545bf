import type { BrowserExitCause } from '../../proto/host-counts.ts'
import type { BrowserExit } from './running.ts'

export function exitCause({ code, failure, overrun }: BrowserExit): BrowserExitCause {
  if (overrun !== undefined) return 'out_of_resources'
  return code === 0 && failure === undefined ? 'closed' : 'crashed'
}
