/** The dependencies of the console. */
import type { ServiceSecret } from '../../runtime/accounts/keys/service-secret.ts'
import type { LogStore } from '../../runtime/store/store.ts'
import type { Membership } from '../../runtime/cluster/membership.ts'
import type { Bus, MessageSubscriber } from '../../runtime/store/bus.ts'
import type { Clock } from '../../runtime/lib/clock.ts'
import type { Idempotency } from '../routing/answers/idempotency.ts'
import type { Authenticator } from '../routing/auth/auth.ts'
import type { DevKeyRule } from '../routing/auth/dev-key.ts'
import type { KeySource, KeyValidity } from '../routing/auth/key-validity.ts'
import type { ServiceUrls } from '../routing/service-urls.ts'
import type { ApiKeys } from '../service/admin/api-keys.ts'
import type { StoreReadings } from '../service/metrics/store-readings.ts'
import type { RequestAudit } from '../service-audit/request-audit.ts'
import type { RecordingDefault } from '../sessions/operator-options.ts'
import type { LiveLinks } from '../sessions/tokens/links.ts'
import type { SessionViews } from '../sessions/session-views.ts'
import type { TasksBySession } from '../tasks/by-session.ts'
import type { TaskFeeds } from '../tasks/following/feeds.ts'
import type { ProviderDeps } from '../tasks/providers.ts'
import type { TaskService } from '../tasks/tasks.ts'
import type { TaskViews } from '../tasks/task-views.ts'

/** What pages read. Pages write through the REST routes (`ConsoleVisit.run`). */
export interface ConsoleDeps extends ProviderDeps {
  readonly auth: Pick<Authenticator, 'byTypedKey' | 'byKeptKey'>
  readonly audit: RequestAudit
  readonly devKeyRule: DevKeyRule
  readonly keyValidity: KeyValidity
  readonly idempotency: Pick<Idempotency, 'once'>
  readonly addresses: ServiceUrls
  readonly serviceSecret: ServiceSecret
  readonly views: SessionViews
  readonly taskViews: TaskViews
  readonly tasks: Pick<TaskService, 'get'>
  readonly tasksBySession: Pick<TasksBySession, 'of'>
  readonly taskFeeds: Pick<TaskFeeds, 'listen'>
  readonly links: LiveLinks
  readonly store: {
    readonly serviceAudit: Pick<LogStore, 'last' | 'read'>
    readonly steps: LogStore
    readonly pictures: LogStore
  }
  readonly config: RecordingDefault
  readonly clock: Clock
  readonly bus: Bus & MessageSubscriber
  readonly keys: Pick<KeySource, 'get' | 'onChange'>
  readonly apiKeys: Pick<ApiKeys, 'list' | 'known'>
  readonly membership: Pick<Membership, 'hosts' | 'clockSkews' | 'onChange'>
  readonly storeReadings: Pick<StoreReadings, 'read'>
}
