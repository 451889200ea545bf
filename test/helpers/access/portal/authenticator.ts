/**
 * An authenticator in software, working like a hardware security key: it makes ES256 keys and signs
 * what a page asks for, or something else where a test wants that.
 */
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'

export interface PasskeyOptions {
  readonly challenge: string
  readonly rp?: { readonly id: string }
  readonly rpId?: string
  readonly user?: { readonly id: string }
}

/** How an answer differs from a correct one. */
export interface Twist {
  readonly origin?: string
  readonly rpId?: string
  readonly isVerified?: boolean
  readonly counter?: number
  readonly userHandle?: string
  readonly challenge?: string
}

const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest()
const base64url = (data: Uint8Array) => Buffer.from(data).toString('base64url')

export class Authenticator {
  readonly #origin: string
  readonly #key: KeyObject
  readonly #x: Buffer
  readonly #y: Buffer
  readonly #id = randomBytes(16)
  #userHandle = ''
  counter = 0

  constructor(origin: string) {
    this.#origin = origin
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    this.#key = privateKey
    this.#x = Buffer.from(x, 'base64url')
    this.#y = Buffer.from(y, 'base64url')
  }

  get id(): string {
    return base64url(this.#id)
  }

  /** `navigator.credentials.create`, as JSON. */
  create(options: PasskeyOptions, twist: Twist = {}) {
    this.#userHandle = options.user!.id
    const client = this.#client('webauthn.create', options, twist)
    const length = Buffer.from([0, this.#id.length])
    const attested = [Buffer.alloc(16), length, this.#id, this.#coseKey()]
    const data = Buffer.concat([this.#data(options.rp!.id, 0x40, twist), ...attested])
    const head = Buffer.from([0xa3, ...text('fmt'), ...text('none'), ...text('attStmt'), 0xa0])
    const about = [Buffer.from([...text('authData'), 0x58, data.length]), data]
    return this.#answer({
      clientDataJSON: base64url(client),
      attestationObject: base64url(Buffer.concat([head, ...about])),
      transports: ['internal'],
    })
  }

  /** `navigator.credentials.get`, as JSON. */
  get(options: PasskeyOptions, twist: Twist = {}) {
    this.counter++
    const client = this.#client('webauthn.get', options, twist)
    const data = this.#data(options.rpId!, 0, twist)
    const signed = Buffer.concat([data, sha256(client)])
    return this.#answer({
      clientDataJSON: base64url(client),
      authenticatorData: base64url(data),
      signature: base64url(sign('sha256', signed, this.#key)),
      userHandle: twist.userHandle ?? this.#userHandle,
    })
  }

  #answer(response: Readonly<Record<string, unknown>>) {
    const extra = { clientExtensionResults: {}, authenticatorAttachment: 'platform' }
    return { id: this.id, rawId: this.id, type: 'public-key', response, ...extra }
  }

  #client(type: string, options: PasskeyOptions, { origin, challenge }: Twist): Buffer {
    const says = {
      ...{ type, challenge: challenge ?? options.challenge, origin: origin ?? this.#origin },
      crossOrigin: false,
    }
    return Buffer.from(JSON.stringify(says))
  }

  #data(rpId: string, flags: number, twist: Twist): Buffer {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(twist.counter ?? this.counter)
    const verified = twist.isVerified === false ? 0 : 0x04
    return Buffer.concat([
      sha256(twist.rpId ?? rpId),
      Buffer.from([0x01 | verified | flags]),
      count,
    ])
  }

  /** `{1: 2, 3: -7, -1: 1, -2: x, -3: y}` in CBOR. */
  #coseKey(): Buffer {
    const head = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20])
    return Buffer.concat([head, this.#x, Buffer.from([0x22, 0x58, 0x20]), this.#y])
  }
}

/** Short texts in CBOR. */
const text = (value: string) => [0x60 | value.length, ...Buffer.from(value)]
