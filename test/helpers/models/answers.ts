/**
 * The answers and faults of a scripted model server, in the form in which providers of the Chat
 * Completions API send them. Data only; `server.ts` sends it.
 */
import type { ChatRequest } from './request.ts'

export interface ScriptedCall {
  /** `null` leaves it out, as some providers do; when absent, one is made up. */
  readonly id?: string | null
  readonly name: string
  /** A string is sent as it is, so it may be invalid JSON. */
  readonly arguments: string | Readonly<Record<string, unknown>>
}

export interface ScriptedUsage {
  readonly input: number
  readonly output: number
  readonly cached?: number
  /** US dollars, as OpenRouter reports them. */
  readonly cost?: number
}

/** Where an answer is cut: after its headers, or after that many events of its stream. */
export interface BreakOff {
  readonly after: 'headers' | number
  /** `reset`: TCP RST. `stall`: silence, with the socket open. `end`: a regular end, too early. */
  readonly by: 'reset' | 'stall' | 'end'
}

export interface Completion {
  readonly kind: 'completion'
  /** `null` when there are only calls. */
  readonly text?: string | null
  readonly calls?: readonly ScriptedCall[]
  /** By default `tool_calls` with calls and `stop` without. */
  readonly finish?: string | null
  /** By default counted from characters. */
  readonly usage?: ScriptedUsage | 'none'
  readonly model?: string
  /** The arguments come in one piece, as Gemini sends them. */
  readonly whole?: boolean
  /** In a stream each call has its own number, unless all have 0 or none has one. */
  readonly numbering?: 'zero' | 'none'
  readonly withoutChoices?: boolean
  /** The last call's arguments never end: only the client can end the stream. */
  readonly endless?: boolean
  /** SSE comments before the first event, as routers send them to keep a connection alive. */
  readonly comments?: number
  readonly breaksOff?: BreakOff
  /** Sent in place of the last event: how a stream that began with 200 reports a failure. */
  readonly error?: Readonly<Record<string, unknown>>
}

export interface HttpAnswer {
  readonly kind: 'http'
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** An object is sent as JSON. */
  readonly body: string | Readonly<Record<string, unknown>>
}

/** Before any header: silence until the client disconnects, or a TCP RST. */
export interface NoAnswer {
  readonly kind: 'silence' | 'reset'
}

export type ScriptedAnswer = Completion | HttpAnswer | NoAnswer
export type ModelScript = (request: ChatRequest) => ScriptedAnswer | Promise<ScriptedAnswer>

type Rest = Omit<Completion, 'kind' | 'calls'>

/** An answer in text. */
export const say = (text: string, rest: Rest = {}): Completion => ({
  kind: 'completion',
  text,
  ...rest,
})

/** One tool call. */
export const call = (name: string, input: ScriptedCall['arguments'], rest: Rest = {}) =>
  callAll([{ name, arguments: input }], rest)

/** Several tool calls in one answer. */
export const callAll = (calls: readonly ScriptedCall[], rest: Rest = {}): Completion => ({
  kind: 'completion',
  calls,
  ...rest,
})

/** The first request gets the first answer, and so on; the last answer is repeated. */
export function inTurn(...answers: readonly (ScriptedAnswer | ModelScript)[]): ModelScript {
  let next = 0
  return (request) => {
    const answer = answers[Math.min(next++, answers.length - 1)]
    if (answer === undefined) throw new Error('inTurn needs an answer')
    return typeof answer === 'function' ? answer(request) : answer
  }
}

const refusal = (
  status: number,
  error: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): HttpAnswer => ({ kind: 'http', status, headers, body: { error } })

const invalid = 'invalid_request_error'

/** How four providers report that a prompt is too long. */
const tooLong = {
  openai: {
    message:
      "This model's maximum context length is 128000 tokens. However, your messages resulted in " +
      '131072 tokens. Please reduce the length of the messages.',
    type: invalid,
    param: 'messages',
    code: 'context_length_exceeded',
  },
  anthropic: { message: 'prompt is too long: 214512 tokens > 200000 maximum', type: invalid },
  gemini: {
    message:
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    code: 400,
    status: 'INVALID_ARGUMENT',
  },
  groq: {
    message: 'Please reduce the length of the messages or completion.',
    type: invalid,
    param: 'messages',
    code: 'context_length_exceeded',
  },
  ollama: { message: 'the input length exceeds the context length', type: 'api_error', code: null },
} as const

/** The faults of providers, ready to be used as answers. */
export const faults = {
  rateLimited: (after: { readonly seconds?: number; readonly ms?: number } = {}) =>
    refusal(
      429,
      { message: 'Rate limit reached for requests', type: 'requests', code: 'rate_limit_exceeded' },
      {
        ...(after.seconds === undefined ? {} : { 'retry-after': String(after.seconds) }),
        ...(after.ms === undefined ? {} : { 'retry-after-ms': String(after.ms) }),
      },
    ),
  /** A 429 for which waiting does not help. */
  quotaExhausted: () =>
    refusal(429, {
      message: 'You exceeded your current quota, please check your plan and billing details.',
      type: 'insufficient_quota',
      code: 'insufficient_quota',
    }),
  /** Providers repeat part of the key in the error; this one repeats all of it. */
  badKey: (key: string) =>
    refusal(401, {
      message: `Incorrect API key provided: ${key}. You can find your API key in your account.`,
      type: invalid,
      code: 'invalid_api_key',
    }),
  forbidden: () =>
    refusal(403, { message: 'Country, region, or territory not supported', type: 'forbidden' }),
  modelNotFound: (model: string) =>
    refusal(404, {
      message: `The model \`${model}\` does not exist or you do not have access to it.`,
      type: invalid,
      code: 'model_not_found',
    }),
  contextLength: (wording: keyof typeof tooLong = 'openai') => refusal(400, tooLong[wording]),
  badRequest: (message: string) => refusal(400, { message, type: invalid }),
  /** OpenAI's answer for newer models, which accept tools in the Responses API only. */
  responsesOnly: (model: string) =>
    refusal(400, {
      message:
        `Function tools with reasoning_effort are not supported for ${model} in ` +
        "/v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
      type: invalid,
      param: 'reasoning_effort',
      code: null,
    }),
  /** Groq's answer when the model's own call did not fit the tool's schema. */
  toolUseFailed: () =>
    refusal(400, {
      message: "Failed to call a function. Please adjust your prompt. See 'failed_generation'.",
      type: invalid,
      code: 'tool_use_failed',
      failed_generation: '<function=click{"ref": "e1"',
    }),
  badGateway: (): HttpAnswer => ({
    kind: 'http',
    status: 502,
    headers: { 'content-type': 'text/html' },
    body: '<html><head><title>502 Bad Gateway</title></head><body><h1>502</h1></body></html>',
  }),
  serverError: () =>
    refusal(500, { message: 'The server had an error.', type: 'server_error', code: null }),
  redirect: (location: string, status = 307): HttpAnswer => ({
    kind: 'http',
    status,
    headers: { location },
    body: '',
  }),
  /** A web page with status 200 instead of an answer: the base URL is a website's. */
  webPage: (): HttpAnswer => ({
    kind: 'http',
    status: 200,
    headers: { 'content-type': 'text/html' },
    body: '<!doctype html><title>Welcome</title><p>Sign in to continue',
  }),

  resetBeforeHeaders: (): NoAnswer => ({ kind: 'reset' }),
  resetMidStream: (answer = call('click', { ref: 'e1' })): Completion => ({
    ...answer,
    breaksOff: { after: 2, by: 'reset' },
  }),
  stallBeforeHeaders: (): NoAnswer => ({ kind: 'silence' }),
  stallAfterHeaders: (answer = call('click', { ref: 'e1' })): Completion => ({
    ...answer,
    breaksOff: { after: 'headers', by: 'stall' },
  }),
  stallMidStream: (answer = call('click', { ref: 'e1' })): Completion => ({
    ...answer,
    breaksOff: { after: 2, by: 'stall' },
  }),
  /** The body ends regularly before the answer does: no finish_reason, no [DONE]. */
  endsEarly: (answer = call('click', { ref: 'e1' })): Completion => ({
    ...answer,
    breaksOff: { after: 2, by: 'end' },
  }),
  errorInStream: (message: string, code: string | number): Completion =>
    say('Let me see', { error: { message, code } }),

  /** Arguments that stop in the middle, although the answer is marked as complete. */
  cutArguments: (name: string) => call(name, '{"ref": "e1", "text": "half a sen'),
  outOfTokens: (name: string) => call(name, '{"ref": "e1", "te', { finish: 'length' }),
  filtered: () => say('', { text: null, finish: 'content_filter' }),
  emptyChoices: () => say('', { withoutChoices: true }),
  /** A choice without content. */
  nothing: () => say('', { text: null }),
  hugeArguments: (name: string, bytes = 1024 * 1024) => call(name, { text: 'x'.repeat(bytes) }),
  endless: (name: string) => call(name, '{"text": "', { endless: true }),
  duplicateIds: (calls: readonly ScriptedCall[]) =>
    callAll(calls.map((each) => ({ ...each, id: 'call_same' }))),
  missingIds: (calls: readonly ScriptedCall[]) =>
    callAll(calls.map((each) => ({ ...each, id: null }))),
  withoutUsage: (answer: Completion): Completion => ({ ...answer, usage: 'none' }),
} as const
