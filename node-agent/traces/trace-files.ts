/** The traces of this host's sessions: one file each, outside the folders of browsers. */
import { join } from 'node:path'
import type { TraceLine } from '../../proto/browser-host/trace.ts'
import { ServiceError } from '../../proto/errors.ts'
import { LineFiles, type LineFilesOptions } from '../line-files/line-files.ts'
import { traceLimits } from './limits.ts'

export type TraceFiles = LineFiles<TraceLine>

export const openTraceFiles = (
  { DATA_DIR, NODE_ID }: { readonly DATA_DIR: string; readonly NODE_ID: string },
  means: Pick<LineFilesOptions, 'clock' | 'log'>,
): TraceFiles =>
  new LineFiles({
    ...means,
    folder: join(DATA_DIR, 'traces', NODE_ID),
    allBytes: traceLimits.allTracesBytes,
    missing: () =>
      new ServiceError(
        'not_found',
        'There is no trace of this session: no command has run yet, or it is older than a day.',
      ),
  })
