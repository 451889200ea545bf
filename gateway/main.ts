/** The role `gateway`: the process that clients connect to. */
import { defined } from '../proto/defined.ts'
import { decode } from '../proto/codec.ts'
import type { EndpointView } from '../proto/access/webhooks/endpoint.ts'
import type { KeyRecord } from '../proto/accounts/key.ts'
import { buckets } from '../proto/subjects.ts'
import { openAudit } from '../runtime/access/audit/open.ts'
import { loadConfig } from '../runtime/config/config.ts'
import { openCredentials } from '../runtime/accounts/credentials/open.ts'
import { exitCodes } from '../runtime/process/exit-codes.ts'
import { openRole } from '../runtime/process/role/role.ts'
import { OutputSchemas } from '../runtime/lib/schemas/output-schemas.ts'
import { ExtensionRecords } from '../runtime/extensions/extension-records.ts'
import { ProfileRecords } from '../runtime/profiles/profile-records.ts'
import { openSiteLogins } from '../runtime/site-logins/open.ts'
import { ServiceAudit } from '../runtime/service-audit/writer.ts'
import { openServiceSecret } from '../runtime/accounts/keys/service-secret.ts'
import { ViewIndex, watchViews } from '../runtime/actor/views.ts'
import { deliveryStore } from '../runtime/webhooks/open.ts'
import { awaitStore } from '../runtime/store/await-store.ts'
import { WatchedMap } from '../runtime/store/watched-map.ts'
import { openKeptViews } from './archive.ts'
import { AccessRates } from './access/gate/rates.ts'
import { openGateway, type Gateway } from './gateway.ts'
import { chooseEngine, engineNames } from './server/engine.ts'
import { PortTaken } from './server/listener.ts'
import { NoNativeServer } from './server/uws/native.ts'

const config = loadConfig()

// Checked before the process joins the service: if the required engine cannot be used, no gateway
// starts.
try {
  chooseEngine(config.SERVER_ENGINE)
} catch (error) {
  if (!(error instanceof NoNativeServer)) throw error
  console.error(error.message)
  process.exit(exitCodes.failed)
}

let gateway: Gateway | undefined
const role = await openRole('gateway', {
  config,
  describe: () => addressesOf(gateway),
})
const { store, clock, log } = role

const keyBucket = store.bucket(buckets.keys)
const [views, keys, serviceSecret] = await Promise.all([
  watchViews(store.bucket(buckets.views), clock, log),
  WatchedMap.open<KeyRecord>(keyBucket, (bytes) => decode(bytes), clock, log),
  awaitStore(role, 'the secret of the service', () =>
    openServiceSecret({ keys: keyBucket, sealer: role.sealer, log }),
  ),
])
const credentials = openCredentials(role)
const schemas = new OutputSchemas()
const audit = await openAudit(role)
const serviceAudit = new ServiceAudit({ ...role, stream: store.serviceAudit })
const kept = await openKeptViews({ ...role, secret: serviceSecret }, views)
gateway = await openGateway({
  ...role,
  ...kept,
  endpointViews: new ViewIndex<EndpointView>(views, 'endpoint'),
  keys,
  keyBucket,
  credentials,
  profiles: new ProfileRecords({ ...role, bucket: store.bucket(buckets.profiles) }),
  extensions: new ExtensionRecords({ ...role, bucket: store.bucket(buckets.extensions) }),
  ...openSiteLogins({ ...role, config }),
  idempotency: store.bucket(buckets.idempotency),
  access: credentials.accounts,
  schemas,
  serviceSecret,
  serviceAudit,
  scopedAccess: {
    viewMap: views,
    names: store.bucket(buckets.names),
    records: store.bucket(buckets.records),
    recordChanges: store.changes(buckets.records),
    cursorSecret: () => serviceSecret.text,
    sealer: role.sealer,
    deliveries: deliveryStore(store),
    rates: new AccessRates(clock),
    notes: audit.notes,
    reads: audit.reads,
    assertAudited: () => audit.assertAudited(),
    audit,
    isFresh: () => role.lease.isValid(),
  },
}).catch((error: unknown) => {
  if (error instanceof PortTaken) role.fatal(error.message)
  throw error
})
const { url, engine, drain } = gateway
role.lease.touch()
role.onDrain(async () => {
  await Promise.all([drain(), schemas.close()])
  await Promise.all([audit.close(), serviceAudit.close()])
  await kept.close()
  views.stop()
  keys.stop()
  serviceSecret.stop()
})
role.ready({ url, server: engineNames[engine] })

/** Known once the gateway listens; published for processes that look for a gateway. */
function addressesOf(open: Gateway | undefined) {
  if (!open) return {}
  const { url, publicUrl } = open
  return { url, ...defined({ publicUrl }) }
}
