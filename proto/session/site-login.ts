/**
 * Logins of a tenant with sites: what `fill_login` fills into a form. A record is in KV `siteLogins`;
 * its values are sealed, and leave an actor host for the moment of filling only.
 */
import { z } from 'zod'
import { sessionLimits } from './limits.ts'

export const siteLoginName = z
  .string()
  .max(sessionLimits.loginNameChars)
  .regex(/^[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?$/, {
    error: 'may have letters, digits, dots, dashes and underscores',
  })

/** The fields that a form may have. Custom ones are found by their name, label or placeholder. */
export interface SiteLoginValues {
  readonly username?: string
  readonly password?: string
  /** A one-time code. */
  readonly code?: string
  readonly fields?: Readonly<Record<string, string>>
}

/** As it is stored: with the secret of the codes in place of a code. */
export interface SiteLoginSecrets extends Omit<SiteLoginValues, 'code'> {
  /** An `otpauth://` URI. */
  readonly totp?: string
}

export interface SiteLoginRecord {
  readonly tenant: string
  readonly name: string
  readonly description?: string
  /** `https://shop.example`, in the form of URL.origin. */
  readonly origin: string
  /** Also for all names below that of the origin. */
  readonly subdomains?: true
  /** Which values it has; custom fields by their names. */
  readonly has: readonly string[]
  /** JSON of {@link SiteLoginSecrets}, sealed. */
  readonly sealed: string
  readonly createdAtMs: number
  readonly changedAtMs: number
  /** When it last filled a form, and in which session. */
  readonly usedAtMs?: number
  readonly usedBy?: string
  /** The last time step whose code was given; sites take a code once. */
  readonly codeStep?: number
}

/** What a task may know of a login. */
export type KnownSiteLogin = Pick<SiteLoginRecord, 'name' | 'origin' | 'subdomains'>

/** An agent asks an actor host for the values, for a form that it has found. */
export interface LoginFill {
  /** Given with the command; it names the tenant, the session, and the login if the caller named one. */
  readonly ticket: string
  /** Those of all frames, the page's own first: their origins, and those that each may send to. */
  readonly forms: readonly { readonly origin: string; readonly posts: readonly string[] }[]
  readonly wants: {
    readonly username: boolean
    readonly password: boolean
    readonly code: boolean
  }
}

export interface FilledLogin {
  readonly name: string
  /** The one of the origins that the login is for. */
  readonly origin: string
  readonly values: SiteLoginValues
}

export const isForOrigin = (
  { origin, subdomains }: Pick<SiteLoginRecord, 'origin' | 'subdomains'>,
  other: string,
): boolean => {
  if (origin === other) return true
  if (!subdomains || !URL.canParse(other)) return false
  const [own, theirs] = [new URL(origin), new URL(other)]
  const isBelow = theirs.hostname.endsWith(`.${own.hostname}`)
  return isBelow && own.protocol === theirs.protocol && own.port === theirs.port
}
