/** Classifies refusals and lost connections, with advice for the task's owner. */
import type { AccessFailure } from '../../../../runtime/accounts/credentials/source.ts'
import type { ModelFailureKind } from '../../../../proto/task/model-failure.ts'
import { ModelFailure } from '../model.ts'
import { errorExcerpt } from './excerpt.ts'
import type { ProviderRefusal } from './refusal.ts'

/** The request that failed: what a message needs, and the key that it must not contain. */
export interface ModelCallTarget {
  readonly provider: string
  readonly label: string
  readonly model: string
  readonly host: string
  /** Never shown. */
  readonly key: string
}

interface Rule {
  readonly words: RegExp
  readonly kind: ModelFailureKind
}

/** By the words of the refusal, with any status. */
const anyStatus: readonly Rule[] = [
  {
    words: new RegExp(
      [
        'context[_ ]length',
        'context[_ ](window|size)',
        'maximum context',
        'prompt is too long',
        'input token count',
        'input length',
        'too many (input )?tokens',
        'reduce the length',
        'request too large',
        'request_too_large',
        'string_above_max_length',
      ].join('|'),
      'i',
    ),
    kind: 'context_length',
  },
  {
    words:
      /tool_use_failed|failed to call a function|tool call validation|malformed_function_call/i,
    kind: 'malformed',
  },
  {
    words: /content[_ ](filter|policy)|responsibleai|moderation|flagged|prohibited_content/i,
    kind: 'refused',
  },
  { words: /insufficient_quota|credit balance|insufficient (credits|balance)/i, kind: 'rejected' },
]

/** For invalid requests: the status 400 alone says little. */
const badRequest: readonly Rule[] = [
  { words: /api[_ ]key|authenticat|unauthori[sz]ed|no auth/i, kind: 'auth' },
  {
    words: /model_not_found|DeploymentNotFound|not a valid model|unknown model|no endpoints found/i,
    kind: 'not_found',
  },
  { words: /\bmodel\b.{0,200}(not found|does not exist|doesn't exist)/is, kind: 'not_found' },
]

const byStatus: Readonly<Record<number, ModelFailureKind>> = {
  401: 'auth',
  402: 'rejected',
  403: 'auth',
  404: 'not_found',
  408: 'overloaded',
  409: 'overloaded',
  413: 'context_length',
  425: 'overloaded',
  429: 'rate_limited',
  501: 'rejected',
  505: 'rejected',
}

export function failureKindOf({ status, words }: ProviderRefusal): ModelFailureKind {
  const fits = (rule: Rule) => rule.words.test(words)
  // A stream that ends with an error is classified as overloaded unless its words say more.
  const general = status === undefined ? 'overloaded' : byStatus[status]
  if (general === 'auth' && status === 401) return 'auth'
  const special = anyStatus.find(fits)
  if (special) return special.kind
  if (general) return general
  if (status! >= 500) return 'overloaded'
  return badRequest.find(fits)?.kind ?? 'rejected'
}

/** The sentence that says what to do. */
function advice(kind: ModelFailureKind, { provider, label, model, host }: ModelCallTarget): string {
  switch (kind) {
    case 'auth':
      return (
        `Check the credential and its permissions, or set another one: ` +
        `npm run troupe -- credentials set ${provider}.`
      )
    case 'not_found':
      return (
        `Name a model that ${label} offers for this account (the task requested "${model}"), ` +
        `and check the base URL (${host}).`
      )
    case 'rate_limited':
      return 'Raise the limit of the account, or use another model.'
    case 'overloaded':
      return 'The provider is busy; try another model.'
    case 'context_length':
      return 'Use a model with a larger context.'
    case 'refused':
      return "The provider's filter refused it: rephrase the task, or use another model."
    case 'malformed':
      return 'Use a stronger model.'
    default:
      return `Check the account and what the model "${model}" accepts.`
  }
}

/** The provider's own words come first, because they are the most precise. */
export function modelFailureOf(refusal: ProviderRefusal, callee: ModelCallTarget): ModelFailure {
  const kind = failureKindOf(refusal)
  const said = errorExcerpt(refusal.message, callee.key)
  const status = refusal.status === undefined ? '' : ` (${refusal.status})`
  const what = said === '' ? `refused${status} without a reason` : `said${status}: "${said}"`
  const { retryAfterMs } = refusal
  // Without the SDK's error as cause, which contains the response's headers and body.
  return new ModelFailure(kind, `${sentence(callee.label)} ${what}. ${advice(kind, callee)}`, {
    retryAfterMs,
  })
}

const sentence = (label: string) => label.slice(0, 1).toUpperCase() + label.slice(1)

/** No token is available. */
export function accessFailure(error: AccessFailure): ModelFailure {
  const kind = error.kind === 'auth' ? 'auth' : 'network'
  return new ModelFailure(kind, error.message, { cause: error })
}

/** The causes of an error, because `fetch` errors say little themselves. */
function* causesOf(error: unknown): Generator<Error> {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++) yield at
}

/** The error code, such as `ECONNREFUSED`, from any depth. */
function codeOf(error: unknown): string | undefined {
  for (const each of causesOf(error)) {
    const code: unknown = (each as { code?: unknown }).code
    if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,40}$/.test(code)) return code
  }
  return undefined
}

/** The connection failed or broke. */
export function lostConnection(
  error: unknown,
  hasStarted: boolean,
  callee: ModelCallTarget,
): ModelFailure {
  // Recognised by name, because importing its module would load a whole HTTP client.
  const fenced = [...causesOf(error)].find(({ name }) => name === 'NotPublic')
  if (fenced) return new ModelFailure('rejected', `${errorExcerpt(fenced.message, callee.key)}.`)
  const code = codeOf(error)
  const why = code === undefined ? '' : ` (${code})`
  const message = hasStarted
    ? `${sentence(callee.label)} broke off in the middle of its answer${why}. The request is ` +
      'retried.'
    : `${sentence(callee.label)} cannot be reached at ${callee.host}${why}. Check that it is running, ` +
      'and the base URL of the credential.'
  return new ModelFailure('network', message)
}
