/** AES-256-GCM for what a process keeps in a file of its own. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

export class FileCipher {
  readonly #key: Buffer

  /** Derives its key from a secret of the service, for this purpose only. */
  constructor(secret: string, purpose: string) {
    this.#key = Buffer.from(hkdfSync('sha256', secret, '', purpose, 32))
  }

  /** `place`: where the bytes are kept, so that they cannot be read from another place. */
  seal(bytes: Uint8Array, place: string): Uint8Array {
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv(algorithm, this.#key, nonce).setAAD(Buffer.from(place))
    const sealed = [cipher.update(bytes), cipher.final()]
    return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed])
  }

  /** Throws if the bytes were changed, or are from another place. */
  open(sealed: Uint8Array, place: string): Uint8Array {
    const nonce = sealed.subarray(0, nonceBytes)
    const decipher = createDecipheriv(algorithm, this.#key, nonce).setAAD(Buffer.from(place))
    decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes))
    const rest = sealed.subarray(nonceBytes + tagBytes)
    return Buffer.concat([decipher.update(rest), decipher.final()])
  }
}
