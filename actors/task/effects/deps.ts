/** Dependencies of the effects of tasks. */
import type { Logger } from 'pino'
import type { OutputSchemas } from '../../../runtime/lib/schemas/output-schemas.ts'
import type { Sealer } from '../../../runtime/accounts/seal/seal.ts'
import type { FillTickets } from '../../../runtime/site-logins/fill-tickets.ts'
import type { LogStore } from '../../../runtime/store/store.ts'
import type { TaskModels } from '../models/model.ts'
import type { TaskMeter } from '../task-meter.ts'
import type { BrowserDeps } from './browser.ts'
import type { TaskSecrets } from './task-secrets.ts'

export interface TaskEffectDeps extends BrowserDeps {
  /** Streams STEPS and PICTURES. */
  readonly steps: LogStore
  readonly pictures: LogStore
  readonly models: TaskModels
  readonly schemas: Pick<OutputSchemas, 'fit'>
  readonly sealer: Pick<Sealer, 'open'>
  readonly fillTickets: Pick<FillTickets, 'issue'>
  readonly log: Logger
  readonly meter?: Pick<TaskMeter, 'published'>
}

/** For effects that use a task's secrets. */
export interface SecretDeps extends TaskEffectDeps {
  readonly secrets: Pick<TaskSecrets, 'of'>
}
