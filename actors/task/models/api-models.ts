/** Models behind APIs, opened with the existing accounts. */
import { LRUCache } from 'lru-cache'
import { apiProviders, isApiProvider } from '../../../proto/accounts/credential.ts'
import { systemClock } from '../../../runtime/lib/clock.ts'
import {
  AccessFailure,
  type AccessSource,
  type ModelAccess,
} from '../../../runtime/accounts/credentials/source.ts'
import { ModelFailure, type TaskModel, type ModelChoice, type TaskModels } from './model.ts'
import { accessFailure } from './faults/failures.ts'
import type { CallTimeouts } from './model-connection.ts'
import { apiAddress, providerPresets } from './presets.ts'
import type { ProviderQuirks } from './quirks.ts'
import { taskRunLimits } from '../limits.ts'

export class ApiModels implements TaskModels {
  readonly #source: AccessSource
  readonly #patience: CallTimeouts
  /** By provider, address and model; the least recently used is dropped first. */
  readonly #learned = new LRUCache<string, ProviderQuirks>({ max: taskRunLimits.modelsRemembered })

  constructor(source: AccessSource, patience: Partial<CallTimeouts> = {}) {
    this.#source = source
    this.#patience = {
      clock: systemClock,
      silenceMs: taskRunLimits.modelSilenceMs,
      callMs: taskRunLimits.modelCallMs,
      ...patience,
    }
  }

  async open({ tenant, provider, model: named }: Omit<ModelChoice, 'task'>): Promise<TaskModel> {
    if (!isApiProvider(provider)) {
      throw new ModelFailure(
        'rejected',
        `There is no provider "${provider}": use one of ${apiProviders.join(', ')}, or acp:<agent>.`,
      )
    }
    const preset = providerPresets[provider]
    const access = await this.#find(tenant, provider)
    if (access === undefined) {
      throw new ModelFailure(
        'auth',
        `There is no account with ${preset.label}. Add one: npm run troupe -- credentials set ${provider}, or ` +
          `PUT /v1/credentials/${provider}.`,
      )
    }
    const model = named ?? access.model ?? preset.model
    if (model === undefined) {
      throw new ModelFailure(
        'rejected',
        `No model is named, and ${preset.label} has no default model: set "model" of the task ` +
          'or of the account.',
      )
    }
    const address = apiAddress(preset, access.baseUrl)
    if (address === undefined) {
      throw new ModelFailure(
        'rejected',
        `The account with ${preset.label} needs its own base URL, with http or https and ` +
          'without a password.',
      )
    }
    const key = `${provider} ${address.href} ${model}`
    const quirks = {
      get: () => this.#learned.get(key) ?? preset.quirks,
      set: (learned: ProviderQuirks) => void this.#learned.set(key, learned),
    }
    // Loaded on use: it imports the SDK, which is large, and a service may never get a task.
    const { ApiModel } = await import('./api-model.ts')
    return new ApiModel({
      provider,
      model,
      preset,
      access,
      address,
      patience: this.#patience,
      quirks,
    })
  }

  async #find(tenant: string, provider: string): Promise<ModelAccess | undefined> {
    try {
      return await this.#source.find(tenant, provider)
    } catch (error) {
      throw error instanceof AccessFailure ? accessFailure(error) : error
    }
  }
}
