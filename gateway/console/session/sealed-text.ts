/**
 * Seals the content of the console's cookie: AES-256-GCM with a key that is derived from the
 * service's secret. Replacing that secret signs all people out.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const ivBytes = 12
const tagBytes = 16

const keyOf = (secret: string) => Buffer.from(hkdfSync('sha256', secret, '', 'console cookie', 32))

export function sealText(secret: string, text: string): string {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', keyOf(secret), iv)
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([iv, sealed, cipher.getAuthTag()]).toString('base64url')
}

/** Undefined if the text was not sealed with this secret, or was modified. */
export function unsealText(secret: string, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.byteLength < ivBytes + tagBytes) return undefined
  const decipher = createDecipheriv('aes-256-gcm', keyOf(secret), bytes.subarray(0, ivBytes))
  decipher.setAuthTag(bytes.subarray(-tagBytes))
  try {
    const text = decipher.update(bytes.subarray(ivBytes, -tagBytes))
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  } catch {
    // The authentication tag does not match.
    return undefined
  }
}
