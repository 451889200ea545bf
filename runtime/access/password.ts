/**
 * Passwords at rest: scrypt with the cost that OWASP advises, as
 * `$scrypt$ln=15,r=8,p=3$<salt>$<hash>` (base64 without padding). One takes 32 MiB and a thread of
 * the few that Node has, which files and DNS need too. So few run side by side, a bounded number
 * waits, and a flood of sign-ins delays sign-ins alone.
 */
import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto'
import { accessLimits as limits } from '../../proto/access/limits.ts'
import { ServiceError } from '../../proto/errors.ts'

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
/** A stored text asks for no more than this, whoever wrote it. */
const mostCost: Cost = { ln: 17, p: 5 }
/** scrypt's block size. */
const r = 8
const saltBytes = 16
const hashBytes = 32

const pattern = /^\$scrypt\$ln=(\d{1,2}),r=8,p=(\d{1,2})\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/

/** Checked where there is no password, so that the time does not tell. */
const nobody: Stored = { ...cost, salt: randomBytes(saltBytes), hash: randomBytes(hashBytes) }

export class Passwords {
  #running = 0
  readonly #waiting: (() => void)[] = []

  /** The text to store. Throws `busy` when too many wait. */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(saltBytes)
    const hash = await this.#derive(password, { ...cost, salt })
    return `$scrypt$ln=${cost.ln},r=${r},p=${cost.p}$${base64(salt)}$${base64(hash)}`
  }

  /**
   * Whether it is the password that `stored` was made of. Without `stored`, or with one that cannot
   * be read, it takes as long and is false. Throws `busy` when too many wait.
   */
  async verify(password: string, stored: string | undefined): Promise<boolean> {
    const known = stored === undefined ? undefined : read(stored)
    const { hash, ...how } = known ?? nobody
    const given = await this.#derive(password, how)
    return timingSafeEqual(given, hash) && known !== undefined
  }

  async #derive(password: string, { ln, p, salt }: Omit<Stored, 'hash'>): Promise<Buffer> {
    await this.#turn()
    try {
      const N = 2 ** ln
      // Exactly what it takes: the default limit is just below that.
      const options = { N, r, p, maxmem: 128 * r * (N + p + 2) }
      return await derive(password.normalize('NFKC'), salt, options)
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running--
    }
  }

  /** Whoever ends passes its turn on. */
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
