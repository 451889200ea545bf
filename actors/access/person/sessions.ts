/** A person's sign-ins, the failed ones, and the lock that many of these lead to. */
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import type { PersonSession } from '../../../proto/access/people/person.ts'
import type { PersonContext } from './context.ts'

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

/** The newest last. */
export const withNetwork = (
  networks: readonly string[] | undefined = [],
  net: string | undefined,
): readonly string[] =>
  net === undefined
    ? networks
    : [...networks.filter((one) => one !== net), net].slice(-limits.networksPerPerson)

type Locks = PersonContext['locks']

export const nextLock = (locks: Locks, at: number): NonNullable<Locks> => {
  const isInARow = locks !== undefined && at - locks.atMs < limits.locksRememberedMs
  return { count: isInARow ? locks.count + 1 : 1, atMs: at }
}

export const lockLength = ({ count }: NonNullable<Locks>): number =>
  Math.min(limits.lockMs * 2 ** (count - 1), limits.lockMostMs)

/**
 * A lock must not keep out the person themselves: a passkey cannot be guessed, and somebody who
 * guesses passwords is not in the networks where the person has signed in.
 */
export const passesLock = (
  { networks = [] }: Pick<PersonContext, 'networks'>,
  { passkeyId, net }: { readonly passkeyId?: string; readonly net?: string },
): boolean => passkeyId !== undefined || (net !== undefined && networks.includes(net))
