/** Where the events of this host's sessions are kept. */
import { join } from 'node:path'
import { ServiceError } from '../../proto/errors.ts'
import type { LoggedEvent } from '../../proto/session/session-event.ts'
import { LineFiles, type LineFilesOptions } from '../line-files/line-files.ts'
import { eventLimits } from './limits.ts'

export const openEventFiles = (
  { DATA_DIR, NODE_ID }: { readonly DATA_DIR: string; readonly NODE_ID: string },
  means: Pick<LineFilesOptions, 'clock' | 'log'>,
): LineFiles<LoggedEvent> =>
  new LineFiles({
    ...means,
    folder: join(DATA_DIR, 'events', NODE_ID),
    allBytes: eventLimits.allBytes,
    fileBytes: eventLimits.sessionBytes,
    missing: () => new ServiceError('not_found', 'There are no events of this session.'),
  })
