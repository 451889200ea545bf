/**
 * Checks and completes the order of a task, so that an order that cannot work never reaches an
 * actor.
 */
import { defined } from '../../proto/defined.ts'
import { encode } from '../../proto/codec.ts'
import { apiProviders, isApiProvider, reportsCost } from '../../proto/accounts/credential.ts'
import { ServiceError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import { gatedActions, type TaskBody, type TaskOrder } from '../../proto/task/task.ts'
import type { AccessSource } from '../../runtime/accounts/credentials/source.ts'
import type { Membership } from '../../runtime/cluster/membership.ts'
import { isOfDomains } from '../../runtime/lib/network/domains.ts'
import { leadsToPrivateNetwork } from '../../runtime/lib/network/guard/internal-url.ts'
import type { OutputSchemas } from '../../runtime/lib/schemas/output-schemas.ts'
import type { Sealer } from '../../runtime/accounts/seal/seal.ts'
import type { SiteLogins } from '../../runtime/site-logins/site-logins.ts'
import { badField } from '../routing/schemas/validate.ts'
import { withRecordingDefault, type RecordingDefault } from '../sessions/operator-options.ts'
import { taskFeedLimits } from './limits.ts'
import { agentProviders } from './providers.ts'
import { offeredLogins } from './offered-logins.ts'

export interface OrderDeps {
  readonly access: Pick<AccessSource, 'find' | 'fallback'>
  readonly sealer: Pick<Sealer, 'seal'>
  readonly membership: Pick<Membership, 'hosts'>
  readonly schemas: Pick<OutputSchemas, 'check'>
  readonly siteLogins: Pick<SiteLogins, 'get' | 'list'>
  readonly config: RecordingDefault
}

export interface OrderFor {
  readonly id: string
  readonly tenant: string
  readonly sessionId?: string
}

export class TaskOrders {
  readonly #deps: OrderDeps

  constructor(deps: OrderDeps) {
    this.#deps = deps
  }

  async make(body: TaskBody, { id, tenant, sessionId }: OrderFor): Promise<TaskOrder> {
    if (sessionId !== undefined && body.session_options !== undefined) {
      throw badField(
        'session_options',
        'session_options apply to a session created for the task; omit them or sessionId.',
      )
    }
    const secrets = body.secret_values ?? {}
    assertHidden(body, secrets)
    assertReachable(body)
    assertScriptable(body)
    const provider = await this.#provider(body, tenant)
    const logins = await offeredLogins(this.#deps.siteLogins, body, tenant)
    if (body.output_schema !== undefined) {
      await this.#deps.schemas.check(body.output_schema, tenant)
    }
    const order: TaskOrder = {
      prompt: body.prompt,
      ...defined({ url: body.url }),
      opensUrl: body.url !== undefined && (body.directly_open_url ?? body.directlyOpenUrl ?? true),
      provider,
      ...defined({ model: body.model }),
      maxSteps: body.max_steps,
      ...defined({ outputSchema: body.output_schema }),
      humanIntervention: body.human_intervention,
      confirm: body.confirm ?? gatedActions,
      secretNames: Object.keys(secrets),
      ...(body.secret_values !== undefined && {
        sealedSecrets: this.#deps.sealer.seal(JSON.stringify(secrets), ['task', id]),
      }),
      ...(logins.length > 0 && { logins }),
      ...(body.extended_system_message !== undefined && {
        extendedSystemMessage: body.extended_system_message,
      }),
      ...(sessionId === undefined ? this.#ownSession(body) : { sessionId }),
      keepsSession: body.keep_session,
      vision: body.vision,
      timeoutMs: body.timeout_seconds * 1_000,
      ...defined({
        tokensMax: body.max_tokens,
        costMaxUsd: body.max_cost_usd,
        allowedDomains: body.allowed_domains,
      }),
      allowsPrivateNetwork: body.allow_private_network,
      finalCheck: body.final_check,
      ...(body.scripts && { scripts: true }),
    }
    assertFits(order)
    return order
  }

  /** What the session that is created for the task is like. */
  #ownSession({ session_options: asked }: TaskBody): Pick<TaskOrder, 'sessionBody'> {
    const body = withRecordingDefault(asked ?? {}, this.#deps.config)
    return asked === undefined && Object.keys(body).length === 0 ? {} : { sessionBody: body }
  }

  async #provider(body: TaskBody, tenant: string): Promise<string> {
    const { access } = this.#deps
    const provider = body.provider ?? (await access.fallback(tenant))
    if (provider === undefined) {
      throw badField('provider', `No AI provider is configured. ${howToConfigure('<provider>')}`)
    }
    const agents = agentProviders(this.#deps.membership)
    if (agents.includes(provider)) return provider
    if (!isApiProvider(provider)) {
      const found = [...apiProviders, ...agents].join(', ')
      const more = agents.length > 0 ? '' : ' The operator can allow agents with ACP_AGENTS.'
      throw badField('provider', `provider must be one of ${found}.${more}`)
    }
    const account = await access.find(tenant, provider)
    if (!account) {
      throw badField(
        'provider',
        `There is no credential for ${provider}. ${howToConfigure(provider)}`,
      )
    }
    if (body.max_cost_usd !== undefined && !account.price && !reportsCost(provider)) {
      throw badField('max_cost_usd', `max_cost_usd cannot be enforced: ${howToPrice(provider)}`)
    }
    return provider
  }
}

export function howToConfigure(provider: string): string {
  return `Set one with: npm run troupe -- credentials set ${provider}; or PUT /v1/credentials/${provider}.`
}

function howToPrice(provider: string): string {
  const byKey = `npm run troupe -- credentials set ${provider} --price-in USD --price-out USD`
  const byRest = `price in PUT /v1/credentials/${provider}`
  const byOperator = `the operator's AI_PRICES=${provider}:IN/OUT`
  return (
    `the price of ${provider} is unknown. Set a price for its account (${byKey}; ${byRest}; or ` +
    `${byOperator}), or omit the limit.`
  )
}

/** Refuses a secret whose value also occurs in a text that the model reads. */
function assertHidden(body: TaskBody, secrets: Readonly<Record<string, string>>): void {
  const texts = [body.prompt, body.extended_system_message ?? '', body.url ?? '']
  for (const [name, value] of Object.entries(secrets)) {
    if (value.trim() === '')
      throw badField(`secret_values.${name}`, `secret_values.${name} is blank.`)
    const isTelling = value.length >= limits.secretStrongChars
    if (!isTelling || !texts.some((text) => text.includes(value))) continue
    throw badField(
      'secret_values',
      `The value of secret_values.${name} appears in the prompt, url or ` +
        `extended_system_message; write <secret>${name}</secret> there instead.`,
    )
  }
}

/**
 * Refuses literal private addresses. Names that resolve to one are refused when they are resolved.
 */
function assertReachable({ url, allowed_domains, allow_private_network }: TaskBody): void {
  if (url === undefined) return
  const to = new URL(url)
  if (!allow_private_network && leadsToPrivateNetwork(to)) {
    throw badField(
      'url',
      `${to.host} is a private address; set allow_private_network: true to allow it.`,
    )
  }
  if (allowed_domains && !isOfDomains(to, allowed_domains)) {
    throw badField('url', `${to.host} is not in the allowed_domains of this task; add it there.`)
  }
}

/** Scripts act without confirmation, and may read and send the contents of fields. */
function assertScriptable(body: TaskBody): void {
  const { scripts, secret_values, logins = [], human_intervention, confirm } = body
  if (!scripts) return
  if (secret_values !== undefined) {
    throw badField('scripts', 'scripts cannot be combined with secret_values; omit one of them.')
  }
  if (logins.length > 0) {
    throw badField('scripts', 'scripts cannot be combined with logins; omit one of them.')
  }
  if (human_intervention && confirm?.length !== 0) {
    throw badField(
      'scripts',
      'Scripts do not wait for confirmations: with human_intervention, set confirm: [].',
    )
  }
}

/** Limits the order's size, because each entry of the task's log contains it. */
function assertFits(order: TaskOrder): void {
  const bytes = encode(order).byteLength
  if (bytes <= taskFeedLimits.taskOrderBytes) return
  throw new ServiceError(
    'too_large',
    `The task has ${bytes} bytes in total (prompt, output_schema, secret_values …); the ` +
      `maximum is ${taskFeedLimits.taskOrderBytes}.`,
    { limit: taskFeedLimits.taskOrderBytes },
  )
}
