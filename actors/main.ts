/** The role `actors`: a place for actors to live. */
import { loadConfig } from '../runtime/config.ts'
import { openCredentials } from '../runtime/credentials/open.ts'
import { ActorHost } from '../runtime/host.ts'
import { Retention } from '../runtime/retention.ts'
import { openRole } from '../runtime/role.ts'
import { actorKinds } from './registry.ts'
import { ApiModels } from './task/models/api-models.ts'

const dayMs = 24 * 60 * 60_000

const config = loadConfig()
const role = await openRole('actors', { config })
const { bus, store, clock, lease, membership, directory, sealer, log } = role

const { accounts } = openCredentials({ store, sealer, clock, config })
const kinds = actorKinds({
  bus,
  clock,
  membership,
  directory,
  queueWaitMs: config.QUEUE_WAIT_SECONDS * 1000,
  steps: store.steps,
  pictures: store.pictures,
  models: new ApiModels(accounts),
  sealer,
  log,
})
const host = new ActorHost({ kinds, store, bus, clock, lease, membership, log })
role.onFence(() => host.fence())
role.onDrain(() => host.drain())
await host.start()

const retention = new Retention({
  store,
  clock,
  lease,
  membership,
  log,
  keptMs: config.RETENTION_DAYS * dayMs,
  keptPerTenant: config.RETENTION_PER_TENANT,
  purgeMarkers: (bucket, olderThanMs) => store.purgeMarkers(bucket, olderThanMs),
})
role.onDrain(async () => retention.stop())
role.ready({ kinds: kinds.map(({ kind }) => kind) })
