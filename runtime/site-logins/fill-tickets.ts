/**
 * Tickets with which an agent may ask for the values of a login: for one command in one session, signed
 * by the process that accepted the command. So an agent gets no values that no caller wanted there.
 */
import type { CommandCall } from '../../proto/commands/catalogue.ts'
import { defined } from '../../proto/defined.ts'
import { ServiceError } from '../../proto/errors.ts'
import { readClaims, signClaims } from '../accounts/seal/signed-claims.ts'
import type { TextSigner } from '../accounts/seal/signer.ts'
import type { Clock } from '../lib/clock.ts'
import { siteLoginLimits } from './limits.ts'

export interface FillClaims {
  readonly tenant: string
  readonly sessionId: string
  /** One of these; absent: whichever is for the page. */
  readonly logins?: readonly string[]
}

interface Claims extends FillClaims {
  readonly untilMs: number
}

export class FillTickets {
  readonly #signer: TextSigner
  readonly #clock: Pick<Clock, 'now'>

  constructor(signer: TextSigner, clock: Pick<Clock, 'now'>) {
    this.#signer = signer
    this.#clock = clock
  }

  issue(claims: FillClaims): string {
    const untilMs = this.#clock.now() + siteLoginLimits.ticketLifeMs
    return signClaims(this.#signer, { ...claims, untilMs } satisfies Claims)
  }

  /** Throws if the ticket is not one of ours, or has expired. */
  check(ticket: string): FillClaims {
    const claims = readClaims(this.#signer, ticket) as Claims | undefined
    if (!claims) throw refused('is not valid')
    if (claims.untilMs < this.#clock.now()) throw refused('has expired')
    return claims
  }
}

/** The tickets for these actions, by the login that each names; undefined if none fills in one. */
export function ticketsFor(
  tickets: Pick<FillTickets, 'issue'>,
  actions: readonly CommandCall[],
  { logins, ...session }: FillClaims,
): Readonly<Record<string, string>> | undefined {
  const fills = actions.filter((action) => action.command === 'fill_login')
  if (fills.length === 0) return undefined
  const names = fills.map(({ input: { login = '' } }) => login)
  return Object.fromEntries(
    names.map((name) => {
      if (name !== '' && logins && !logins.includes(name)) throw notOffered(name)
      const named = name === '' ? logins : [name]
      return [name, tickets.issue({ ...session, ...defined({ logins: named }) })]
    }),
  )
}

function notOffered(name: string): ServiceError {
  return new ServiceError('forbidden', `The login ${name} is not one of this task.`)
}

const refused = (why: string) => new ServiceError('unauthorized', `The ticket of the login ${why}.`)
