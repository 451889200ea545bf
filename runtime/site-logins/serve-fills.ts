/** Gives agents the values of logins for forms that they have found; served by actor hosts. */
import type { Logger } from 'pino'
import { defined } from '../../proto/defined.ts'
import { ServiceError } from '../../proto/errors.ts'
import {
  isForOrigin,
  type FilledLogin,
  type LoginFill,
  type SiteLoginRecord,
} from '../../proto/session/site-login.ts'
import { placeQueue, subjects } from '../../proto/subjects.ts'
import { sleep, type Clock } from '../lib/clock.ts'
import type { Bus, BusService } from '../store/bus.ts'
import { replying } from '../store/reply.ts'
import type { FillTickets } from './fill-tickets.ts'
import { siteLoginLimits } from './limits.ts'
import { codeAt } from './one-time-codes.ts'
import type { SiteLogins } from './site-logins.ts'

export interface LoginFillsOptions {
  readonly bus: Bus
  readonly logins: SiteLogins
  readonly tickets: FillTickets
  readonly clock: Clock
  /** Before the values are given, which does not depend on it. */
  readonly onFill: (fill: { readonly sessionId: string; readonly login: string }) => Promise<void>
  readonly log: Logger
}

export function serveLoginFills(options: LoginFillsOptions): BusService {
  const { bus, log } = options
  const answer = replying(
    (request) => fill(options, request as LoginFill),
    (error) => log.error({ err: error }, 'the values of a login were not given'),
  )
  return bus.serve(subjects.loginFills, answer, { queue: placeQueue })
}

async function fill(
  { logins, tickets, clock, onFill, log }: LoginFillsOptions,
  { ticket, forms, wants }: LoginFill,
): Promise<FilledLogin> {
  const { tenant, sessionId, logins: names } = tickets.check(ticket)
  const origins = forms.map((form) => form.origin)
  const { record, origin } = await logins.choose(tenant, origins, names)
  const { posts = [] } = forms.find((form) => form.origin === origin) ?? {}
  const stray = posts.find((to) => !isForOrigin(record, to))
  if (stray !== undefined) throw sentElsewhere(record, stray)
  const { username, password, totp, fields } = logins.open(record)
  const use = (codeStep?: number) => logins.use(record, { sessionId, ...defined({ codeStep }) })
  const code = wants.code && totp !== undefined ? await nextCode(clock, totp, use) : undefined
  if (code === undefined) await use()
  await onFill({ sessionId, login: record.name }).catch((error: unknown) =>
    log.warn({ session: sessionId, err: error }, 'a session was not told of a login'),
  )
  const values = {
    ...(wants.username && defined({ username })),
    ...(wants.password && defined({ password })),
    ...defined({ code, fields }),
  }
  return { name: record.name, origin, values }
}

/** Waits for the next one if the current one is about to end, or was given before: sites take each once. */
async function nextCode(
  clock: Clock,
  totp: string,
  use: (step: number) => Promise<boolean>,
): Promise<string> {
  for (;;) {
    const { code, step, untilMs } = codeAt(totp, clock.now())
    const leftMs = untilMs - clock.now()
    if (leftMs >= siteLoginLimits.codeLeftMs && (await use(step))) return code
    await sleep(clock, Math.max(1, leftMs))
  }
}

/** What a page holds may have been put there by somebody else; a form then leads where they want. */
function sentElsewhere({ name, origin }: SiteLoginRecord, to: string): ServiceError {
  const text = `The form sends to ${to}, and the login ${name} is for ${origin}.`
  return new ServiceError('origin_not_allowed', text, { origin: to })
}
