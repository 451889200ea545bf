/** A tenant's accounts with model providers: set by key, or by a login whose redirect ends here. */
import { defined } from '../../proto/defined.ts'
import { z } from 'zod'
import { apiProviders, type LoginRecord } from '../../proto/accounts/credential.ts'
import { ServiceError } from '../../proto/errors.ts'
import type { Credentials } from '../../runtime/accounts/credentials/open.ts'
import { providerOf } from '../../runtime/accounts/credentials/order.ts'
import type { ServiceUrls } from '../routing/service-urls.ts'
import {
  accountJson,
  keyOrder,
  loginJson,
  loginOrder,
  optionsOf,
  toCredentialJson,
  toLoginJson,
} from './credentials-json.ts'
import type { HttpReply } from '../server/http.ts'
import { htmlReply } from '../routing/answers/reply.ts'
import { jsonRoute, rawRoute, type Route } from '../routing/route.ts'
import { fillTemplate, webPages } from '../service/web.ts'

export interface CredentialRouteDeps {
  readonly credentials: Credentials
  readonly addresses: ServiceUrls
}

const callbackPath = '/v1/credentials/callback'
const ofProvider = z.object({ provider: z.string() })
const provider = z.enum(apiProviders)

const listJson = z.object({
  data: z.object({
    credentials: z.array(accountJson),
    shared: z.array(provider).describe('Providers whose account all tenants share.'),
    default: z
      .string()
      .nullable()
      .describe('Provider of tasks that do not name one; null if there is none.'),
  }),
})

export function credentialRoutes(deps: CredentialRouteDeps): readonly Route[] {
  return [listRoute(deps), ...keyRoutes(deps), ...loginRoutes(deps), ...callbackRoutes(deps)]
}

function listRoute({ credentials: { records, accounts } }: CredentialRouteDeps): Route {
  return jsonRoute({
    method: 'GET',
    path: '/v1/credentials',
    summary: 'List your accounts with model providers, and those that all tenants share.',
    description:
      'Shows which providers tasks can use. At most the last four characters of a secret are ' +
      'shown.',
    auth: 'key',
    scope: 'credentials',
    response: listJson,
    async handler({ caller: { tenant } }) {
      const [own, shared, fallback] = await Promise.all([
        records.of(tenant),
        accounts.shared(),
        accounts.fallback(tenant),
      ])
      const credentials = own.map(toCredentialJson)
      return { data: { credentials, shared: [...shared], default: fallback ?? null } }
    },
  })
}

function keyRoutes({ credentials }: CredentialRouteDeps): readonly Route[] {
  return [
    jsonRoute({
      method: 'PUT',
      path: '/v1/credentials/{provider}',
      audit: 'credential.set',
      summary: 'Set your account with a provider, using an API key.',
      description:
        'The key is encrypted before it is stored, and never returned. It replaces your ' +
        'existing account with this provider.',
      auth: 'key',
      scope: 'credentials',
      params: ofProvider,
      body: keyOrder,
      response: z.object({ data: accountJson }),
      async handler({ caller, params, body }) {
        const apiKey = body.api_key
        const order = {
          provider: providerOf(params.provider),
          ...optionsOf(body),
          ...defined({ apiKey }),
        }
        const record = await credentials.setKey(caller.tenant, order, 'tenant')
        return { data: toCredentialJson(record) }
      },
    }),
    jsonRoute({
      method: 'DELETE',
      path: '/v1/credentials/{provider}',
      audit: 'credential.remove',
      summary: 'Remove your account with a provider.',
      description: 'Running tasks keep using the account; new tasks need another one.',
      auth: 'key',
      scope: 'credentials',
      params: ofProvider,
      response: z.object({ data: z.object({ status: z.literal('success') }) }),
      async handler({ caller, params }) {
        if (await credentials.records.remove(caller.tenant, providerOf(params.provider))) {
          return { data: { status: 'success' as const } }
        }
        const yours = 'GET /v1/credentials lists yours'
        const message = `You have no account with ${params.provider}; ${yours}.`
        throw new ServiceError('not_found', message)
      },
    }),
  ]
}

function loginRoutes({ credentials, addresses }: CredentialRouteDeps): readonly Route[] {
  const { logins } = credentials
  return [
    jsonRoute({
      method: 'POST',
      path: '/v1/credentials/{provider}/login',
      audit: 'credential.set',
      summary: 'Start a login to a provider: a page to open, or a code to enter on another device.',
      description:
        'For providers that offer subscriptions instead of API keys. With `code`, the browser ' +
        'is redirected back to this service; with `device`, a code is entered on any device.',
      auth: 'key',
      scope: 'credentials',
      makes: true,
      showsSecret: true,
      params: ofProvider,
      body: loginOrder,
      response: z.object({ data: loginJson }),
      async handler({ caller, params, body, request }) {
        const { record, authorizeUrl } = await logins.begin({
          owner: caller.tenant,
          by: 'tenant',
          provider: providerOf(params.provider),
          flow: body.flow,
          redirectUri: `${addresses.http(request)}${callbackPath}`,
          options: optionsOf(body),
        })
        return { data: toLoginJson(record, authorizeUrl) }
      },
    }),
    jsonRoute({
      method: 'GET',
      path: '/v1/credentials/{provider}/login/{login_id}',
      summary: 'Get the status of a login. Poll until its status is done or failed.',
      description:
        'Polling advances a `device` login: this request asks the provider for its state, no ' +
        'more often than the provider allows.',
      auth: 'key',
      scope: 'credentials',
      params: ofProvider.extend({ login_id: z.string() }),
      response: z.object({ data: loginJson }),
      async handler({ caller, params }) {
        const name = providerOf(params.provider)
        return { data: toLoginJson(await logins.status(caller.tenant, name, params.login_id)) }
      },
    }),
  ]
}

/**
 * The route to which a provider redirects the browser. A request with the right `state` finishes
 * the login, once only.
 */
function callbackRoutes({ credentials: { logins } }: CredentialRouteDeps): readonly Route[] {
  const shared = {
    method: 'GET',
    auth: 'none',
    isInternal: true,
    contentType: 'text/html',
  } as const
  const summary = 'Finish a login in the browser that was used for it.'
  return [
    rawRoute({
      ...shared,
      summary,
      path: callbackPath,
      handler({ request: { query } }) {
        return page(() => logins.finish(query.get('state') ?? '', query))
      },
    }),
    rawRoute({
      ...shared,
      summary,
      path: `${callbackPath}/{state}`,
      params: z.object({ state: z.string() }),
      handler: ({ request: { query }, params }) => page(() => logins.finish(params.state, query)),
    }),
  ]
}

async function page(finish: () => Promise<LoginRecord>): Promise<HttpReply> {
  try {
    const { state, provider, error = '' } = await finish()
    if (state === 'done') {
      const text = `Your account with ${provider} is ready for tasks. You can close this page.`
      return htmlReply(200, fillTemplate(webPages.login, { title: 'Logged in', text }))
    }
    return htmlReply(
      400,
      fillTemplate(webPages.login, { title: 'Not logged in', text: `${error}.` }),
    )
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    const text = error.message
    return htmlReply(error.status, fillTemplate(webPages.login, { title: 'Not logged in', text }))
  }
}
