/** The secret behind session keys, live-view tokens and agents' tokens. */
import { randomBytes } from 'node:crypto'
import { decode, encode } from '../proto/codec.ts'
import { Conflict, type Bucket } from './store.ts'

const entry = 'service.secret'

/** Made once, by whichever process is first to need it. */
export async function serviceSecret(keys: Bucket): Promise<string> {
  const present = await keys.get(entry)
  if (present) return decode<string>(present.value)
  const secret = randomBytes(32).toString('base64url')
  try {
    await keys.create(entry, encode(secret))
    return secret
  } catch (error) {
    if (!(error instanceof Conflict)) throw error
    return serviceSecret(keys)
  }
}
