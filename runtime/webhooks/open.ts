/** Assembles webhooks for an actor host: fan-out and workers. */
import type { Logger } from 'pino'
import { buckets } from '../../proto/subjects.ts'
import { ReadLog } from '../access/audit/sources/reads.ts'
import { GrantUses } from '../access/grant-uses.ts'
import { RecordStore } from '../access/records/record-store.ts'
import type { MessageSubscriber } from '../store/bus.ts'
import type { Clock } from '../lib/clock.ts'
import type { Config } from '../config/config.ts'
import type { Directory } from '../actor/directory.ts'
import type { Lease } from '../cluster/lease.ts'
import type { Membership } from '../cluster/membership.ts'
import type { NatsStore } from '../store/nats/buckets.ts'
import { version } from '../lib/package.ts'
import type { Sealer } from '../accounts/seal/seal.ts'
import { DeliveryStore } from './delivery/store.ts'
import { DueTasks } from './fan-out/due-tasks.ts'
import { FanOut } from './fan-out/fan-out.ts'
import { webhookSources } from './fan-out/sources.ts'
import { WebhookSigner } from './send/signing.ts'
import { webhookBaseUrl, warnOfAllowances, webhookRules, type WebhookSettings } from './settings.ts'
import { WebhookViews } from './views.ts'
import { DeliveryWorker } from './worker/worker.ts'

export interface WebhookDeps {
  readonly config: WebhookSettings & Pick<Config, 'PUBLIC_URL'>
  readonly store: NatsStore
  readonly bus: MessageSubscriber
  readonly directory: Pick<Directory, 'ask'>
  readonly clock: Clock
  readonly lease: Pick<Lease, 'incarnation' | 'isValid'>
  readonly membership: Pick<Membership, 'available' | 'onChange' | 'isDead'>
  readonly sealer: Pick<Sealer, 'open'>
  readonly log: Logger
}

export interface Webhooks {
  /** See `FanOut`. */
  handledUntilMs(): number | undefined
  /** Stops at once, because another host may own our endpoints. */
  stop(): void
  /** Starts no more requests, and waits a while for those in progress. */
  close(): Promise<void>
}

export const deliveryStore = (store: Pick<NatsStore, 'bucket' | 'changes'>): DeliveryStore =>
  new DeliveryStore({
    bucket: store.bucket(buckets.deliveries),
    keys: store.changes(buckets.deliveries),
  })

export async function openWebhooks(deps: WebhookDeps): Promise<Webhooks> {
  const { config, store, clock, log, sealer } = deps
  warnOfAllowances(config, log)
  const views = await WebhookViews.open(store.bucket(buckets.views), deps)
  const deliveries = deliveryStore(store)
  const records = new RecordStore(store.bucket(buckets.records))
  const reads = new ReadLog({ stream: store.reads, clock, log })
  const worker = new DeliveryWorker({
    ...deps,
    views,
    deliveries,
    reads,
    uses: new GrantUses(deps),
    records,
    signer: new WebhookSigner(sealer),
    random: Math.random,
    baseUrl: webhookBaseUrl(config),
    userAgent: `Troupe-Webhooks/${version}`,
    posting: { rules: webhookRules(config), now: () => clock.monotonic() },
  })
  await worker.start()
  const fanOut = new FanOut({
    ...deps,
    views,
    deliveries,
    bucket: store.bucket(buckets.deliveries),
    sources: webhookSources(store),
    dueTasks: new DueTasks({ records, views }),
    lastSeq: (stream) => store.lastSeq(stream),
    backlogOf: (id) => worker.backlogOf(id),
  })
  const stop = () => {
    fanOut.stop()
    worker.stop()
    views.stop()
  }
  return {
    handledUntilMs: () => fanOut.handledUntilMs,
    stop,
    async close() {
      fanOut.stop()
      await worker.close()
      views.stop()
      await reads.close()
    },
  }
}
