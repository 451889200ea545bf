/** Shared by tests of models: an account, a request, and a way to send it. */
import type { Test } from 'tap'
import { ApiModels } from '../../../actors/task/models/api-models.ts'
import type { CallTimeouts } from '../../../actors/task/models/model-connection.ts'
import {
  ModelFailure,
  type ModelAnswer,
  type ModelRequest,
} from '../../../actors/task/models/model.ts'
import type { AccessSource, ModelAccess } from '../../../runtime/accounts/credentials/source.ts'
import type { ModelScript, ScriptedAnswer } from './answers.ts'
import { serveModel, type ModelServer, type ModelServerOptions } from './server.ts'

/** Long and unique, so that any printed part of it is found. */
export const testKey = 'sk-test-7Qm2ZpXw9LrT4vKc8NbY1sHd6GfJ3aEu'

export const onePixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

export const question = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  system: 'You drive a browser.',
  user: [
    { type: 'text', text: '# Goal\nBuy milk.' },
    { type: 'text', text: '# Page\nurl: https://shop.example/' },
  ],
  tools: [
    {
      name: 'click',
      description: 'Clicks an element.',
      parameters: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: {
          ref: { type: 'string', description: 'As the snapshot has it.' },
          // A property named like a keyword of JSON Schema.
          format: { type: 'string' },
          times: { type: 'integer', minimum: 1, exclusiveMaximum: 4 },
        },
        required: ['ref'],
        additionalProperties: false,
      },
    },
  ],
  outputTokensMax: 1_000,
  question: 'q1',
  news: '',
  page: '',
  ...more,
})

/** One account for every tenant and provider. */
export const account = (access: Partial<ModelAccess>): AccessSource => ({
  find: async (_tenant, provider) => ({ provider, token: async () => testKey, ...access }),
  fallback: async () => undefined,
})

export interface ModelSetup {
  readonly server: ModelServer
  readonly models: ApiModels
  ask(request?: ModelRequest, signal?: AbortSignal): Promise<ModelAnswer>
  /** Sends a request that must fail. */
  failure(request?: ModelRequest): Promise<ModelFailure>
}

/** A scripted server with an account on it, used as the provider `compatible`. */
export async function openModelSetup(
  t: Test,
  script: ModelScript | ScriptedAnswer,
  more: {
    readonly access?: Partial<ModelAccess>
    readonly patience?: Partial<CallTimeouts>
    readonly server?: ModelServerOptions
    readonly provider?: string
  } = {},
): Promise<ModelSetup> {
  const server = await serveModel(script, more.server)
  t.teardown(() => server.close())
  const source = account({ baseUrl: server.baseUrl, model: 'scripted', ...more.access })
  const models = new ApiModels(source, more.patience)
  const ask = async (request = question(), signal = new AbortController().signal) => {
    const model = await models.open({ tenant: 'acme', provider: more.provider ?? 'compatible' })
    return model.ask(request, signal)
  }
  return {
    server,
    models,
    ask,
    async failure(request) {
      const error: unknown = await ask(request).catch((reason: unknown) => reason)
      if (error instanceof ModelFailure) return error
      throw new Error('it was to fail as a model does', { cause: error })
    },
  }
}
