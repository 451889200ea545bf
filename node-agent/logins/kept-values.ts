/**
 * What was filled in, sealed for the agent after this one with a key that is made of the session's secret:
 * the record of a browser lies on the disk, its secret only in the session's log.
 */
import { hkdfSync } from 'node:crypto'
import { openSealer, type Sealer } from '../../runtime/accounts/seal/seal.ts'

/** Values by the names that stand in their place. */
export type NamedValues = Readonly<Record<string, string>>

const place = ['filled'] as const

export const sealForNext = (values: NamedValues, secret: string): string =>
  sealerOf(secret).seal(JSON.stringify(values), place)

/** Throws if it was sealed with another secret. */
export const openForNext = (sealed: string, secret: string): NamedValues =>
  JSON.parse(sealerOf(secret).open(sealed, place)) as NamedValues

function sealerOf(secret: string): Sealer {
  const key = Buffer.from(hkdfSync('sha256', secret, 'troupe', 'filled', 32))
  return openSealer({ SEAL_KEY: key.toString('base64'), DATA_DIR: '' })
}
