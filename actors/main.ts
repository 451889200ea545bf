/** The role `actors`: a host for actors. */
import { sessionActor } from '../proto/session/session-protocol.ts'
import { buckets, streams } from '../proto/subjects.ts'
import { taskActor } from '../proto/task/task-protocol.ts'
import { openAuditRecorder } from '../runtime/access/audit/open.ts'
import { RecordStore } from '../runtime/access/records/record-store.ts'
import { hourlyTombstoneSweep } from '../runtime/access/records/tombstones.ts'
import { Archiver } from '../runtime/actor/archive/archiver.ts'
import { rehearseKinds } from '../runtime/actor/cell/rehearse.ts'
import { actorLimits } from '../runtime/actor/limits.ts'
import { loadConfig, type Config } from '../runtime/config/config.ts'
import { openCredentials } from '../runtime/accounts/credentials/open.ts'
import { ActorHost } from '../runtime/actor/host/host.ts'
import { LogReserve } from '../runtime/actor/log-room.ts'
import { Retention } from '../runtime/actor/retention.ts'
import { openRole } from '../runtime/process/role/role.ts'
import { BlobSweeper } from '../runtime/blobs/blob-sweeper.ts'
import { openBlobs } from '../runtime/blobs/open.ts'
import { openExtensions } from '../runtime/extensions/open.ts'
import { openProfiles } from '../runtime/profiles/open.ts'
import { openSiteLogins } from '../runtime/site-logins/open.ts'
import { serveLoginFills } from '../runtime/site-logins/serve-fills.ts'
import { OutputSchemas } from '../runtime/lib/schemas/output-schemas.ts'
import { ServiceAudit } from '../runtime/service-audit/writer.ts'
import { openServiceSecret } from '../runtime/accounts/keys/service-secret.ts'
import { awaitStore } from '../runtime/store/await-store.ts'
import { bucketStream, streamRoomBytes } from '../runtime/store/nats/stream-plan.ts'
import { deliveryStore, openWebhooks } from '../runtime/webhooks/open.ts'
import { actorKinds } from './registry.ts'
import { serveProfileSaves } from './session/profile-saves.ts'
import { serveReports } from './session/reports.ts'
import { AcpAgents } from './task/acp/agents.ts'
import { agentSpecs } from './task/acp/registry.ts'
import { AllModels } from './task/all-models.ts'
import { ApiModels } from './task/models/api-models.ts'
import { TaskMeter } from './task/task-meter.ts'
import { dayMs } from '../proto/units.ts'

/** The share of one tenant. */
const archiveBytesOf = ({ STORE_MAX_MIB: storeMib, TENANT_SHARE_PERCENT: percent }: Config) =>
  (streamRoomBytes(streams.archive, storeMib) * percent) / 100

const config = loadConfig()
const meter = new TaskMeter()
let host: ActorHost | undefined
const role = await openRole('actors', {
  config,
  describe: () => ({
    agents: config.ACP_AGENTS,
    tasks: meter.report(),
    ...(host && { actors: host.load() }),
  }),
})
const { bus, store, clock, lease, membership, directory, sealer, log, machine } = role

const serviceSecret = await awaitStore(role, 'the secret of the service', () =>
  openServiceSecret({ keys: store.bucket(buckets.keys), sealer, log }),
)
role.onDrain(async () => serviceSecret.stop())
const agents = new AcpAgents({
  specs: agentSpecs(config.ACP_AGENTS, config.ACP_COMMANDS),
  bus,
  clock,
  membership,
  machine,
  serviceSecret,
  log,
})
role.onDrain(() => agents.close())
const serviceAudit = new ServiceAudit({ clock, log, stream: store.serviceAudit })
role.onDrain(() => serviceAudit.close())
const schemas = new OutputSchemas()
role.onDrain(() => schemas.close())
const { accounts } = openCredentials({ store, sealer, clock, config })
const records = new RecordStore(store.bucket(buckets.records))
const blobs = openBlobs({ bus, clock, config, log })
role.onDrain(async () => blobs.stop())
const profiles = await openProfiles({ store, sealer, clock, config, blobs, log })
role.onDrain(async () => profiles.stop())
const extensions = await openExtensions({ bus, store, sealer, clock, blobs, log })
role.onDrain(async () => extensions.stop())
const sweeper = new BlobSweeper({
  folder: blobs.folder,
  names: [profiles.names, extensions.names],
  alsoSweep: () => profiles.deleteUnused(),
  clock,
  log,
})
role.onDrain(async () => sweeper.stop())
const { siteLogins, fillTickets } = openSiteLogins({ store, sealer, clock, config })
const kinds = actorKinds({
  bus,
  clock,
  membership,
  directory,
  queueWaitMs: config.QUEUE_WAIT_SECONDS * 1000,
  steps: store.steps,
  pictures: store.pictures,
  models: meter.metered(new AllModels(new ApiModels(accounts), agents)),
  meter,
  schemas,
  sealer,
  records,
  views: store.bucket(buckets.views),
  privateHosts: config.JOB_PRIVATE_HOSTS,
  deliveries: deliveryStore(store),
  serviceAudit,
  profiles,
  extensions,
  fillTickets,
  log,
})
// Browsers and tasks: what a caller waits for by the millisecond.
const awaited = new Set<string>([sessionActor.kind, taskActor.kind])
await rehearseKinds(
  kinds.filter(({ protocol }) => awaited.has(protocol.kind)),
  clock,
)
const logRoom = await awaitStore(role, 'the reserve of the log', () =>
  LogReserve.open({
    ...{ log: store.log, clock, logger: log },
    usage: () => store.usageOf(streams.log),
  }),
)
role.onDrain(async () => logRoom.stop())
const opened = new ActorHost({ kinds, store, bus, clock, lease, membership, log, logRoom })
host = opened
role.onFence(() => opened.fence())
role.onDrain(() => opened.drain())
await opened.start()
const saves = serveProfileSaves({ bus, profiles, directory, log })
role.onDrain(async () => saves.stop())
const fills = serveLoginFills({
  ...{ bus, logins: siteLogins, tickets: fillTickets, clock, log },
  onFill: async ({ sessionId, login }) => {
    await directory.ask(sessionActor, sessionId, { type: 'login.filled', login })
  },
})
role.onDrain(async () => fills.stop())
const reports = serveReports({ bus, directory, store, serviceAudit, sealer, log })
role.onDrain(async () => reports.stop())

const retention = new Retention({
  store,
  clock,
  lease,
  membership,
  log,
  keptMs: config.RETENTION_DAYS * dayMs,
  keptPerTenant: config.RETENTION_PER_TENANT,
  kinds,
  alsoSweep: hourlyTombstoneSweep({
    records,
    changes: store.changes(buckets.records),
    audit: store.bucket(buckets.audit),
    purgeMarkers: (olderThanMs) => store.purgeMarkers(buckets.records, olderThanMs),
  }),
  purgeMarkers: (bucket, olderThanMs) => store.purgeMarkers(bucket, olderThanMs),
})
role.onDrain(async () => retention.stop())
const audit = openAuditRecorder(role)
role.onFence(() => audit.stop())
role.onDrain(async () => audit.stop())
const webhooks = await openWebhooks(role)
role.onFence(() => webhooks.stop())
role.onDrain(() => webhooks.close())
const archiver = new Archiver({
  store,
  clock,
  log,
  kinds: kinds.filter(({ protocol }) => awaited.has(protocol.kind)),
  handledUntilMs: () => webhooks.handledUntilMs(),
  isTight: async () => {
    const used = await Promise.all([streams.log, bucketStream(buckets.views)].map(store.usageOf))
    return used.some(({ bytes, maxBytes }) => bytes > maxBytes * actorLimits.archiveTightShare)
  },
  kept: {
    keptMs: config.RETENTION_DAYS * dayMs,
    keptPerTenant: config.RETENTION_PER_TENANT,
    keptBytes: archiveBytesOf(config) / awaited.size,
  },
})
role.onFence(() => archiver.stop())
role.onDrain(async () => archiver.stop())
role.ready({ kinds: kinds.map(({ protocol }) => protocol.kind) })
