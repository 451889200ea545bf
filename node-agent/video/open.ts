/** The videos of this host's sessions, where its settings put them. */
import { join } from 'node:path'
import { MiB } from '../../proto/units.ts'
import type { Config } from '../../runtime/config/config.ts'
import { Encoder, type EncoderMeans } from './encoder.ts'
import { MadeReports, type MadeReportsOptions } from './made-reports.ts'
import { SessionVideos } from './session-videos.ts'

type VideoConfig = Pick<
  Config,
  'DATA_DIR' | 'NODE_ID' | 'RECORDINGS_MAX_MIB' | 'RECORDINGS_KEPT_HOURS'
>

export const openSessionVideos = (
  config: VideoConfig,
  means: EncoderMeans & MadeReportsOptions,
): SessionVideos => {
  const made = new MadeReports(means)
  return new SessionVideos({
    ...{ clock: means.clock, log: means.log },
    folder: join(config.DATA_DIR, 'videos', config.NODE_ID),
    encoder: new Encoder(means),
    allBytes: config.RECORDINGS_MAX_MIB * MiB,
    keptMs: config.RECORDINGS_KEPT_HOURS * 3_600_000,
    tell: (folder) => made.tell(folder),
  })
}
