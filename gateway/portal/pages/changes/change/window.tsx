/** Shows a change window. */
import type { ChangeWindow } from '../../../../../proto/access/changes/change-terms.ts'
import type { Visit } from '../../../visit.ts'
import { spanWord, timeWord } from '../../../../html/times.ts'

export const WindowText = ({
  visit,
  of: { startMs, endMs },
  isBooked,
}: {
  visit: Visit
  of: ChangeWindow
  isBooked: boolean
}) => (
  <>
    {isBooked ? '' : 'Requested: '}
    <time datetime={new Date(startMs).toISOString()}>{timeWord(startMs, visit.zone)}</time>
    <span class="quiet">, for {spanWord(endMs - startMs)}</span>
  </>
)
