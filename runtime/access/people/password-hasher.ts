/**
 * Password hashing: scrypt with the cost that OWASP recommends, stored as
 * `$scrypt$ln=15,r=8,p=3$<salt>$<hash>` (base64 without padding). One hash takes 32 MiB and one of
 * Node's few pool threads, which files and DNS need too. So only a few run in parallel and a
 * bounded number waits: a flood of sign-ins delays only sign-ins.
 */
import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto'
import { accessLimits as limits } from '../../../proto/access/limits.ts'
import { ServiceError } from '../../../proto/errors.ts'

interface Cost {
  /** log2 of scrypt's N. */
  readonly ln: number
  readonly p: number
}

interface Stored extends Cost {
  readonly salt: Buffer
  readonly hash: Buffer
}

const cost: Cost = { ln: 15, p: 3 }
/** The highest cost accepted from a stored text. */
const mostCost: Cost = { ln: 17, p: 5 }
/** scrypt's block size. */
const r = 8
const saltBytes = 16
const hashBytes = 32

const pattern = /^\$scrypt\$ln=(\d{1,2}),r=8,p=(\d{1,2})\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/

/** Verified when there is no stored password, so that the duration reveals nothing. */
const dummyPassword: Stored = {
  ...cost,
  salt: randomBytes(saltBytes),
  hash: randomBytes(hashBytes),
}

export class PasswordHasher {
  #running = 0
  readonly #waiting: (() => void)[] = []

  /** Returns the text to store. Throws `busy` if too many calls wait. */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(saltBytes)
    const hash = await this.#derive(password, { ...cost, salt })
    return `$scrypt$ln=${cost.ln},r=${r},p=${cost.p}$${base64(salt)}$${base64(hash)}`
  }

  /**
   * True if the password matches `stored`. If `stored` is absent or unreadable, it takes as long
   * and returns false. Throws `busy` if too many calls wait.
   */
  async verify(password: string, stored: string | undefined): Promise<boolean> {
    const known = stored === undefined ? undefined : read(stored)
    const { hash, ...how } = known ?? dummyPassword
    const given = await this.#derive(password, how)
    return timingSafeEqual(given, hash) && known !== undefined
  }

  async #derive(password: string, { ln, p, salt }: Omit<Stored, 'hash'>): Promise<Buffer> {
    await this.#turn()
    try {
      const N = 2 ** ln
      // The exact need: Node's default limit is just below it.
      const options = { N, r, p, maxmem: 128 * r * (N + p + 2) }
      return await derive(password.normalize('NFKC'), salt, options)
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running--
    }
  }

  /**
   * Waits until fewer than `passwordHashesAtOnce` run; a finished one starts the next in the queue.
   */
  async #turn(): Promise<void> {
    if (this.#running < limits.passwordHashesAtOnce) {
      this.#running++
      return
    }
    if (this.#waiting.length >= limits.passwordHashesWaiting) {
      throw new ServiceError('busy', 'Too many people are signing in; try again in a moment.')
    }
    await new Promise<void>((resolve) => void this.#waiting.push(resolve))
  }
}

const derive = (password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(password, salt, hashBytes, options, (error, hash) =>
      error ? reject(error) : resolve(hash),
    )
  })

function read(text: string): Stored | undefined {
  const [, ln = '', p = '', salt = '', hash = ''] = pattern.exec(text) ?? []
  const read = { ln: Number(ln), p: Number(p) }
  const isCost = (name: keyof Cost) => read[name] >= 1 && read[name] <= mostCost[name]
  if (!isCost('ln') || !isCost('p')) return undefined
  return { ...read, salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') }
}

const base64 = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '')
