/**
 * What was filled in, and routes, sealed for the agent after this one with a key that is made of the
 * session's secret: the record of a browser lies on the disk, its secret only in the session's log.
 */
import { hkdfSync } from 'node:crypto'
import { openSealer, type Sealer } from '../../runtime/accounts/seal/seal.ts'

/** Values by the names that stand in their place. */
export type NamedValues = Readonly<Record<string, string>>

/** Where something is kept for the agent after this one. */
export interface NextStore {
  /** Of the session; the next agent gets it from the session's log. */
  readonly secret: string
  /** What the agent before has kept. */
  readonly sealed: string | undefined
  write(sealed: string): Promise<void>
}

/** What is kept. */
type Kept = 'filled' | 'routes'

export const sealForNext = (value: unknown, secret: string, what: Kept): string =>
  sealerOf(secret).seal(JSON.stringify(value), [what])

/** Throws if it was sealed with another secret, or as something else. */
export const openForNext = <T>(sealed: string, secret: string, what: Kept): T =>
  JSON.parse(sealerOf(secret).open(sealed, [what])) as T

function sealerOf(secret: string): Sealer {
  const key = Buffer.from(hkdfSync('sha256', secret, 'troupe', 'filled', 32))
  return openSealer({ SEAL_KEY: key.toString('base64'), DATA_DIR: '' })
}
