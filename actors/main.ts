/** The role `actors`: a place for actors to live. */
import { buckets, subjects } from '../proto/subjects.ts'
import { loadConfig } from '../runtime/config.ts'
import { openCredentials } from '../runtime/credentials/open.ts'
import { ActorHost } from '../runtime/host.ts'
import { Retention } from '../runtime/retention.ts'
import { openRole } from '../runtime/role.ts'
import { OutputSchemas } from '../runtime/schemas/output-schemas.ts'
import { serviceSecret } from '../runtime/service-secret.ts'
import { actorKinds } from './registry.ts'
import { Agents } from './task/acp/agents.ts'
import { agentSpecs } from './task/acp/registry.ts'
import { AllModels } from './task/all-models.ts'
import { ApiModels } from './task/models/api-models.ts'

const dayMs = 24 * 60 * 60_000

const config = loadConfig()
const role = await openRole('actors', {
  config,
  describe: () => ({ agents: config.ACP_AGENTS }),
})
const { bus, store, clock, lease, membership, directory, sealer, log, machine } = role

const agents = new Agents({
  specs: agentSpecs(config.ACP_AGENTS, config.ACP_COMMANDS),
  bus,
  clock,
  membership,
  machine,
  serviceSecret: await serviceSecret(store.bucket(buckets.keys)),
  log,
})
role.onDrain(() => agents.close())
const schemas = new OutputSchemas()
role.onDrain(() => schemas.close())
const { accounts } = openCredentials({ store, sealer, clock, config })
const kinds = actorKinds({
  bus,
  clock,
  membership,
  directory,
  queueWaitMs: config.QUEUE_WAIT_SECONDS * 1000,
  steps: store.steps,
  pictures: store.pictures,
  models: new AllModels(new ApiModels(accounts), agents),
  schemas,
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
  alsoRemove: async (kind, id) => {
    if (kind !== 'task') return
    await store.steps.purge(subjects.taskRecords(id))
    await store.pictures.purge(subjects.taskPictures(id))
  },
  purgeMarkers: (bucket, olderThanMs) => store.purgeMarkers(bucket, olderThanMs),
})
role.onDrain(async () => retention.stop())
role.ready({ kinds: kinds.map(({ kind }) => kind) })
