/** How requests name a recording. */
import { z } from 'zod'
import { idLike } from '../../proto/ids.ts'
import { noRecordingError } from './session-recordings.ts'

export const recordingsPath = '/v1/sessions/{session_id}/recordings'
export const recordingPath = `${recordingsPath}/{recording_id}` as const

export const ofSession = z.object({ session_id: z.string() })
export const ofRecording = ofSession.extend({
  recording_id: z.string().describe('`primary`, or the id from the list.'),
})

/** A session has one recording at most. Throws `not_found` for the id of another. */
export function assertKnown(sessionId: string, recordingId: string): void {
  if (recordingId !== 'primary' && recordingId !== idLike('rec', sessionId)) {
    throw noRecordingError()
  }
}
