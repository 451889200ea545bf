/** A person's sign-ins, and the failed ones. */
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import type { PersonSession } from '../../../proto/access/people/person.ts'

type Sessions = readonly PersonSession[]

interface SignIn {
  readonly sessionId: string
  readonly hash: string
  readonly at: number
}

/** The password was just given, so no step-up is needed for a while. */
export const newSession = ({ sessionId, hash, at }: SignIn): PersonSession => ({
  id: sessionId,
  hash,
  createdAtMs: at,
  expiresAtMs: at + limits.sessionMs,
  steppedUpAtMs: at,
})

const lasting = (sessions: Sessions, at: number): Sessions =>
  sessions.filter(({ expiresAtMs }) => expiresAtMs > at)

/** Removes expired sessions, and the oldest ones above the maximum number. */
export const withSession = (sessions: Sessions, session: PersonSession, at: number): Sessions =>
  [...lasting(sessions, at), session].slice(-limits.sessionsPerPerson)

export const hasSession = (sessions: Sessions, sessionId: string, at: number): boolean =>
  lasting(sessions, at).some(({ id }) => id === sessionId)

export const stepUpSession = (sessions: Sessions, sessionId: string, at: number): Sessions =>
  sessions.map((session) =>
    session.id === sessionId ? { ...session, steppedUpAtMs: at } : session,
  )

/** Drops one session; without an id, all of them. */
export const removeSession = (sessions: Sessions, sessionId: string | undefined): Sessions =>
  sessionId === undefined ? [] : sessions.filter(({ id }) => id !== sessionId)

/** Failures that still count. */
export const failuresAt = (failures: readonly number[], at: number): readonly number[] =>
  failures.filter((failedAt) => failedAt > at - limits.failedSignInsWindowMs)
