/** A tenant's logins with sites: what `fill_login` fills into forms. */
import { z } from 'zod'
import { defined } from '../../proto/defined.ts'
import { isLoopback } from '../../runtime/lib/network/hosts.ts'
import { otpauthUriOf } from '../../runtime/site-logins/one-time-codes.ts'
import type { SiteLogins } from '../../runtime/site-logins/site-logins.ts'
import { jsonRoute, type Route } from '../routing/route.ts'
import { badField } from '../routing/schemas/validate.ts'
import {
  siteLoginJson,
  siteLoginListJson,
  siteLoginOrder,
  siteLoginPatch,
  toSiteLoginJson,
} from './login-json.ts'

export interface LoginRouteDeps {
  readonly siteLogins: SiteLogins
}

const ofLogin = z.object({ name: z.string() })
const oneLogin = z.object({ data: siteLoginJson })
const shared = { auth: 'key', scope: 'credentials' } as const

export function loginRoutes(deps: LoginRouteDeps): readonly Route[] {
  return [...readRoutes(deps), createRoute(deps), ...changeRoutes(deps)]
}

function readRoutes({ siteLogins }: LoginRouteDeps): readonly Route[] {
  return [
    jsonRoute({
      ...shared,
      method: 'GET',
      path: '/v1/logins',
      summary: 'List your logins with sites.',
      description: 'Sorted by name, without their values: these are never shown.',
      response: siteLoginListJson,
      async handler({ caller: { tenant } }) {
        const items = (await siteLogins.list(tenant)).map(toSiteLoginJson)
        return { data: { count: items.length, items } }
      },
    }),
    jsonRoute({
      ...shared,
      method: 'GET',
      path: '/v1/logins/{name}',
      summary: 'Get a login with a site.',
      description: 'Which values it has, and when it last filled in a form.',
      params: ofLogin,
      response: oneLogin,
      async handler({ caller: { tenant }, params: { name } }) {
        return { data: toSiteLoginJson(await siteLogins.get(tenant, name)) }
      },
    }),
  ]
}

function createRoute({ siteLogins }: LoginRouteDeps): Route {
  return jsonRoute({
    ...shared,
    method: 'POST',
    path: '/v1/logins',
    audit: 'login.create',
    summary: 'Create a login with a site.',
    description:
      'Its values are sealed, never shown, and filled in on pages of its origin only, by the ' +
      'command `fill_login`: over REST, as an MCP tool, and by web tasks.',
    makes: true,
    body: siteLoginOrder,
    response: oneLogin,
    async handler({ caller: { tenant }, body }) {
      const { origin: address, allow_http: allowsHttp, subdomains, totp, ...rest } = body
      const { origin, host } = siteOf(address, allowsHttp)
      const { name = host.replace(/[^A-Za-z0-9.]+/g, '-').replace(/^-|-$/g, ''), ...values } = rest
      const created = await siteLogins.create(tenant, name, {
        origin,
        ...(subdomains && { subdomains }),
        ...defined({ ...values, totp: uriOf(totp) }),
      })
      return { data: toSiteLoginJson(created) }
    },
  })
}

function changeRoutes({ siteLogins }: LoginRouteDeps): readonly Route[] {
  return [
    jsonRoute({
      ...shared,
      method: 'PATCH',
      path: '/v1/logins/{name}',
      audit: 'login.change',
      summary: 'Change values of a login.',
      description:
        'Fields that are absent stay, null removes one, and `fields` is replaced as a whole. Name and ' +
        'origin stay: a login for another site is another login.',
      example: { body: { password: 'correct horse' } },
      params: ofLogin,
      body: siteLoginPatch,
      response: oneLogin,
      async handler({ caller: { tenant }, params: { name }, body }) {
        const { totp, ...others } = body
        const change = { ...others, ...defined({ totp: totp === null ? null : uriOf(totp) }) }
        return { data: toSiteLoginJson(await siteLogins.change(tenant, name, change)) }
      },
    }),
    jsonRoute({
      ...shared,
      method: 'DELETE',
      path: '/v1/logins/{name}',
      audit: 'login.remove',
      summary: 'Delete a login with a site.',
      description: 'From this moment nothing can fill it in. Pages that are logged in stay so.',
      params: ofLogin,
      response: z.object({ data: z.object({ status: z.literal('success') }) }),
      async handler({ caller: { tenant }, params: { name } }) {
        await siteLogins.remove(tenant, name)
        return { data: { status: 'success' as const } }
      },
    }),
  ]
}

function siteOf(address: string, allowsHttp: boolean): URL {
  const url = new URL(address)
  if (url.protocol === 'https:') return url
  if (url.protocol !== 'http:') throw badField('origin', 'origin must begin with https://')
  // What does not leave the machine is not read on the way.
  if (allowsHttp || isLoopback(url.hostname)) return url
  const text =
    'origin has the scheme http, where anyone on the way can read a password; use https, or set ' +
    'allow_http: true.'
  throw badField('origin', text)
}

function uriOf(totp: string | undefined): string | undefined {
  const uri = totp && otpauthUriOf(totp)
  if (totp === undefined || uri) return uri
  throw badField('totp', 'totp must be a secret in base32, or an otpauth://totp/ URI.')
}
