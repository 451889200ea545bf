/** Accounts with model providers, as REST shows them. Secrets are accepted and never returned. */
import { defined } from '../../proto/defined.ts'
import { z } from 'zod'
import {
  apiProviders,
  loginFlows,
  type AccountOptions,
  type CredentialRecord,
  type LoginRecord,
} from '../../proto/accounts/credential.ts'
import { limits } from '../../proto/limits.ts'
import type { StartedLogin } from '../../runtime/accounts/oauth/logins.ts'
import { toIsoTime } from '../routing/answers/iso-time.ts'
import { taskLimits } from '../../proto/task/task-limits.ts'

const dollars = z.number().min(0)
const price = z
  .strictObject({ input_per_million_usd: dollars, output_per_million_usd: dollars })
  .describe(
    'Price in US dollars per million tokens; used for cost budgets if the provider reports no ' +
      'cost.',
  )

const options = {
  base_url: z
    .string()
    .max(limits.urlBytes)
    .optional()
    .describe(
      'Base URL of the API. If absent, that of the provider; required for azure and compatible.',
    ),
  model: z
    .string()
    .max(taskLimits.modelChars)
    .optional()
    .describe('Model for tasks that do not name one.'),
  price: price.optional(),
}

export const keyOrder = z.strictObject({
  api_key: z.string().trim().min(1).max(limits.apiKeyChars).optional(),
  ...options,
})

export const loginOrder = z.strictObject({
  flow: z
    .enum(loginFlows)
    .default('code')
    .describe(
      'code: sign in on a page that redirects back to this service. device: enter a code on ' +
        'another device.',
    ),
  ...options,
})

export const accountJson = z.object({
  provider: z.enum(apiProviders),
  kind: z.enum(['api_key', 'oauth']),
  hint: z.string().describe('The last characters of the secret.'),
  base_url: z.string().optional(),
  model: z.string().optional(),
  price: price.optional(),
  created_at: z.iso.datetime(),
  expires_at: z.iso
    .datetime()
    .optional()
    .describe('For logins: when the access token expires; it is renewed before that.'),
  renewal_error: z.string().optional().describe('Why the last renewal failed; it is retried.'),
  login_needed: z.string().optional().describe('Why a new login is required.'),
})

export const loginJson = z.object({
  id: z.string(),
  provider: z.enum(apiProviders),
  flow: z.enum(loginFlows),
  status: z.enum(['pending', 'done', 'failed']),
  error: z.string().optional(),
  expires_at: z.iso.datetime(),
  authorize_url: z.string().optional().describe('URL to open in a browser.'),
  user_code: z.string().optional().describe('Code to enter at verification_uri.'),
  verification_uri: z.string().optional(),
  verification_uri_complete: z
    .string()
    .optional()
    .describe('verification_uri with the code in it.'),
})

export function optionsOf(
  given: z.output<typeof loginOrder> | z.output<typeof keyOrder>,
): AccountOptions {
  const { base_url: baseUrl, model, price } = given
  return {
    ...defined({ baseUrl, model }),
    ...(price !== undefined && {
      price: {
        inputPerMillionUsd: price.input_per_million_usd,
        outputPerMillionUsd: price.output_per_million_usd,
      },
    }),
  }
}

export function toCredentialJson(record: CredentialRecord): z.output<typeof accountJson> {
  const { provider, kind, hint, baseUrl, model, price, setAtMs } = record
  const login = record.kind === 'oauth' ? record : undefined
  return {
    provider,
    kind,
    hint,
    ...defined({ base_url: baseUrl, model }),
    ...(price !== undefined && {
      price: {
        input_per_million_usd: price.inputPerMillionUsd,
        output_per_million_usd: price.outputPerMillionUsd,
      },
    }),
    created_at: toIsoTime(setAtMs),
    ...(login && { expires_at: toIsoTime(login.expiresAtMs) }),
    ...(login?.renewalError && { renewal_error: login.renewalError.text }),
    ...(login?.broken !== undefined && { login_needed: login.broken }),
  }
}

export function toLoginJson(
  { id, provider, flow, state, error, expiresAtMs, device }: LoginRecord,
  authorizeUrl?: StartedLogin['authorizeUrl'],
): z.output<typeof loginJson> {
  const complete = device?.verificationUriComplete
  return {
    id,
    provider,
    flow,
    status: state === 'working' ? 'pending' : state,
    ...defined({ error }),
    expires_at: toIsoTime(expiresAtMs),
    ...defined({ authorize_url: authorizeUrl }),
    ...(device && { user_code: device.userCode, verification_uri: device.verificationUri }),
    ...defined({ verification_uri_complete: complete }),
  }
}
