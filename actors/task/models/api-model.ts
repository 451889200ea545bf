/** A model behind a provider's API: one connection per request. */
import OpenAI from 'openai'
import { Stream } from 'openai/streaming'
import { reportsCost } from '../../../proto/accounts/credential.ts'
import { raceAbort } from '../../../runtime/lib/abort.ts'
import { AccessFailure, type ModelAccess } from '../../../runtime/accounts/credentials/source.ts'
import { ModelFailure, type TaskModel, type ModelAnswer, type ModelRequest } from './model.ts'
import { chatBody, readCompletion, type LooseCompletion } from './api/chat.ts'
import { AnswerDraft } from './api/draft.ts'
import {
  accessFailure,
  modelFailureOf,
  failureKindOf,
  lostConnection,
  type ModelCallTarget,
} from './faults/failures.ts'
import { ModelConnection, type CallTimeouts } from './model-connection.ts'
import type { ProviderPreset } from './presets.ts'
import { learnFrom, type ProviderQuirks } from './quirks.ts'
import { ProviderRefused, refusalIn } from './faults/refusal.ts'
import { readResponse, responsesBody, type LooseEvent } from './api/responses.ts'
import { usageOf } from './api/usage.ts'
import { modelAnswerOf } from './faults/model-answer.ts'
import { taskRunLimits } from '../limits.ts'

export interface ApiModelOptions {
  readonly provider: string
  readonly model: string
  readonly preset: ProviderPreset
  readonly access: ModelAccess
  readonly address: URL
  readonly patience: CallTimeouts
  /** What was learned about this model by all tasks of this process. */
  readonly quirks: { get(): ProviderQuirks; set(learned: ProviderQuirks): void }
}

export class ApiModel implements TaskModel {
  readonly provider: string
  readonly model: string
  readonly #options: ApiModelOptions

  constructor(options: ApiModelOptions) {
    this.#options = options
    this.provider = options.provider
    this.model = options.model
  }

  async ask(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer> {
    signal.throwIfAborted()
    const callee = this.#callee(await this.#token(signal))
    for (let rephrasings = 0; ; rephrasings++) {
      const quirks = this.#options.quirks.get()
      try {
        return await this.#askOnce(request, quirks, callee, signal)
      } catch (error) {
        if (!(error instanceof ProviderRefused)) throw error
        const learned = this.#lesson(error, request, quirks)
        if (learned === undefined || rephrasings === taskRunLimits.modelRephrasings) {
          throw modelFailureOf(error.refusal, callee)
        }
        this.#options.quirks.set(learned)
      }
    }
  }

  async #askOnce(
    request: ModelRequest,
    quirks: ProviderQuirks,
    callee: ModelCallTarget,
    caller: AbortSignal,
  ): Promise<ModelAnswer> {
    const { preset, access, patience } = this.#options
    const connection = new ModelConnection({
      ...patience,
      label: preset.label,
      caller,
      fetch: access.fetch ?? globalThis.fetch,
      headers: preset.headers ?? {},
      key: callee.key,
    })
    const draft = new AnswerDraft()
    try {
      await this.#converse(request, quirks, connection, draft)
      connection.check()
      const money = { reportsCost: reportsCost(access.provider), price: access.price }
      return modelAnswerOf(draft, usageOf(request, draft, money), callee)
    } catch (error) {
      // The reason why the connection was ended is more precise than the resulting errors.
      connection.check()
      throw toModelFailure(error, connection, callee)
    } finally {
      connection.close()
    }
  }

  async #converse(
    request: ModelRequest,
    quirks: ProviderQuirks,
    connection: ModelConnection,
    draft: AnswerDraft,
  ): Promise<void> {
    const client = this.#client(connection)
    const options = { signal: connection.signal }
    if (quirks.api === 'responses') {
      const body = responsesBody(request, this.model, quirks)
      const asked = client.responses.create({ ...body, stream: quirks.streams }, options)
      const events = eventsOf(await asked.asResponse(), client)
      for await (const event of events) readResponse(event as LooseEvent, draft)
      return
    }
    const body = chatBody(request, this.model, quirks)
    const asked = client.chat.completions.create({ ...body, stream: quirks.streams }, options)
    const events = eventsOf(await asked.asResponse(), client)
    for await (const event of events) readCompletion(event as LooseCompletion, draft)
  }

  /**
   * One client per request, with the connection's `fetch`. All options that it would read from the
   * environment are set.
   */
  #client(connection: ModelConnection): OpenAI {
    const { address, patience } = this.#options
    return new OpenAI({
      // The connection adds the real key, or none.
      apiKey: 'unused',
      baseURL: address.origin + address.pathname,
      defaultQuery: Object.fromEntries(address.searchParams),
      organization: null,
      project: null,
      adminAPIKey: null,
      webhookSecret: null,
      maxRetries: 0,
      // The connection ends the request before that.
      timeout: 2 * patience.callMs,
      logLevel: 'off',
      fetch: connection.fetch,
    })
  }

  #callee(key: string): ModelCallTarget {
    const { preset, address } = this.#options
    return {
      provider: this.provider,
      label: preset.label,
      model: this.model,
      host: address.host,
      key,
    }
  }

  /** A fresh token; its renewal may take time, which a cancelled task does not wait for. */
  async #token(signal: AbortSignal): Promise<string> {
    const { access } = this.#options
    try {
      return await raceAbort(access.token(), signal)
    } catch (error) {
      throw error instanceof AccessFailure ? accessFailure(error) : error
    }
  }

  /** If only the form of the request was refused, it is repeated in another form. */
  #lesson(
    { refusal }: ProviderRefused,
    request: ModelRequest,
    quirks: ProviderQuirks,
  ): ProviderQuirks | undefined {
    if (refusal.status === undefined || ![400, 404, 405, 422].includes(refusal.status))
      return undefined
    if (!['rejected', 'not_found'].includes(failureKindOf(refusal))) return undefined
    const hasPictures = request.user.some((part) => part.type === 'picture')
    return learnFrom(refusal, quirks, hasPictures)
  }
}

/** The events of a stream; or the whole answer, if the server does not stream. */
async function* eventsOf(response: Response, client: OpenAI): AsyncGenerator<unknown> {
  if (/\bjson\b/.test(response.headers.get('content-type') ?? '')) {
    yield await response.json()
    return
  }
  // With the client, whose logging is off; otherwise the SDK prints what it cannot parse.
  yield* Stream.fromSSEResponse(response, new AbortController(), client)
}

/** Converts the SDK's errors into ours. */
function toModelFailure(
  error: unknown,
  connection: ModelConnection,
  callee: ModelCallTarget,
): Error {
  if (error instanceof ModelFailure || error instanceof ProviderRefused) return error
  if (error instanceof OpenAI.APIError && error.error) {
    return new ProviderRefused(refusalIn({ error: error.error }))
  }
  if (error instanceof SyntaxError) {
    return new ModelFailure('malformed', `${callee.label} sent an answer that is not JSON.`)
  }
  return lostConnection(error, connection.hasStarted, callee)
}
