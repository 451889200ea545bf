/** What the effects of tasks need of the world. */
import type { Logger } from 'pino'
import type { OutputSchemas } from '../../runtime/schemas/output-schemas.ts'
import type { Sealer } from '../../runtime/seal.ts'
import type { LogStore } from '../../runtime/store.ts'
import type { TaskContext } from './context.ts'
import type { Models } from './model.ts'
import type { BrowserDeps } from './browser.ts'
import { Secrets } from './safety/secrets.ts'

export interface TaskEffectDeps extends BrowserDeps {
  /** Streams STEPS and PICTURES. */
  readonly steps: LogStore
  readonly pictures: LogStore
  readonly models: Models
  readonly schemas: Pick<OutputSchemas, 'fit'>
  readonly sealer: Pick<Sealer, 'open'>
  readonly log: Logger
}

/** Opened for each effect: what is in the clear lives as long as one of them. */
export function secretsOf(
  { sealer }: Pick<TaskEffectDeps, 'sealer'>,
  { id, order: { sealedSecrets } }: TaskContext,
): Secrets {
  if (sealedSecrets === undefined) return new Secrets({})
  return new Secrets(JSON.parse(sealer.open(sealedSecrets, ['task', id])) as Record<string, string>)
}
