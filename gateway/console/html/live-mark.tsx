/** Names the event stream of a page for the script, which shows whether the page is live. */
import { timeWord } from '../../html/times.ts'
import type { ConsoleVisit } from '../visit.ts'

export const LiveMark = ({ visit, feed }: { visit: ConsoleVisit; feed: string }) => (
  <p class="liveness" data-feed={feed} data-now={String(visit.now)}>
    As of {timeWord(visit.now, 'UTC')}. Reload the page to see changes.
  </p>
)
