/** Tells sessions that their videos are made, or cannot be: each once, and again until it was heard. */
import type { Logger } from 'pino'
import { videoLength } from '../../proto/browser-host/video.ts'
import { defined } from '../../proto/defined.ts'
import { isGone } from '../../proto/errors.ts'
import { isUnknownReport, type SessionReports } from '../sessions/session-reports.ts'
import { readVideoRecord, writeVideoRecord } from './video-record.ts'

export interface MadeReportsOptions {
  readonly reports: SessionReports
  readonly log: Logger
}

export class MadeReports {
  readonly #options: MadeReportsOptions

  constructor(options: MadeReportsOptions) {
    this.#options = options
  }

  /** Never rejects. */
  async tell(folder: string): Promise<void> {
    const { reports, log } = this.#options
    const record = await readVideoRecord(folder)
    if (!record?.finished || record.isTold || record.browserId === undefined) return
    const { sessionId, browserId, finished, problem } = record
    const outcome = finished.bytes > 0 ? 'ready' : 'failed'
    const seconds = Math.round(videoLength(finished.spans) / 1_000)
    const made = { outcome, seconds, ...defined({ problem }) } as const
    try {
      await this.#heard(reports.send(sessionId, { type: 'recording.made', browserId, made }))
      await writeVideoRecord(folder, { ...record, isTold: true })
    } catch (err) {
      log.warn({ session: sessionId, err }, 'that a video is made was not heard; it is told again')
    }
  }

  /** Also by a session that is no longer kept, or whose actor host is older and knows of no such report. */
  async #heard(sent: Promise<unknown>): Promise<void> {
    try {
      await sent
    } catch (error) {
      if (!isGone(error) && !isUnknownReport(error)) throw error
    }
  }
}
