/** Tickets: claims that this service has signed, as one text. */
import { noKey } from './seal.ts'
import type { TextSigner } from './signer.ts'

/** Throws if this host has no key. */
export function signClaims(signer: TextSigner, claims: object): string {
  const text = JSON.stringify(claims)
  const signed = signer.sign(text)
  if (!signed) throw noKey()
  return `${Buffer.from(text).toString('base64url')}.${signed.keyId}.${signed.signature}`
}

/** Undefined if a ticket is not one of ours. Its claims are those of {@link signClaims}. */
export function readClaims(signer: TextSigner, ticket: string): unknown {
  const [body = '', keyId = '', signature = ''] = ticket.split('.')
  const text = Buffer.from(body, 'base64url').toString()
  return signer.isSigned(text, { keyId, signature }) ? (JSON.parse(text) as unknown) : undefined
}
