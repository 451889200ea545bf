/** Whether sessions are recorded that do not say so themselves. */
import type { SessionCreateBody } from '../../proto/session/session.ts'
import type { Config } from '../../runtime/config/config.ts'

export type RecordingDefault = Pick<Config, 'RECORD_SESSIONS'>

/** The body, with what the operator has chosen where it says nothing of a recording. */
export function withRecordingDefault(
  body: SessionCreateBody,
  { RECORD_SESSIONS: isRecorded }: RecordingDefault,
): SessionCreateBody {
  if (!isRecorded || body.session?.recording !== undefined) return body
  return { ...body, session: { ...body.session, recording: { active: true } } }
}
