/** The role `gateway`: where clients come in. */
import { decode } from '../proto/codec.ts'
import type { KeyRecord } from '../proto/key.ts'
import type { SessionView } from '../proto/session.ts'
import type { TaskView } from '../proto/task.ts'
import { buckets } from '../proto/subjects.ts'
import { loadConfig } from '../runtime/config.ts'
import { openCredentials } from '../runtime/credentials/open.ts'
import { exitCodes } from '../runtime/exit-codes.ts'
import { openRole } from '../runtime/role.ts'
import { OutputSchemas } from '../runtime/schemas/output-schemas.ts'
import { serviceSecret } from '../runtime/service-secret.ts'
import { ViewIndex, watchViews } from '../runtime/views.ts'
import { WatchedMap } from '../runtime/watched-map.ts'
import { openGateway, type Gateway } from './gateway.ts'
import { loadNative, NoNativeServer } from './server/native.ts'
import { PortTaken } from './server/server.ts'

// Before anything is joined: without it there is no gateway.
try {
  loadNative()
} catch (error) {
  if (!(error instanceof NoNativeServer)) throw error
  console.error(error.message)
  process.exit(exitCodes.failed)
}

let gateway: Gateway | undefined
const role = await openRole('gateway', {
  config: loadConfig(),
  describe: () => addressesOf(gateway),
})
const { store, clock } = role

const keyBucket = store.bucket(buckets.keys)
const [views, keys, secret] = await Promise.all([
  watchViews(store.bucket(buckets.views), clock),
  WatchedMap.open<KeyRecord>(keyBucket, (bytes) => decode(bytes), clock),
  serviceSecret(keyBucket),
])
const credentials = openCredentials(role)
const schemas = new OutputSchemas()
gateway = await openGateway({
  ...role,
  views: new ViewIndex<SessionView>(views, 'session'),
  taskViews: new ViewIndex<TaskView>(views, 'task'),
  keys,
  credentials,
  access: credentials.accounts,
  schemas,
  serviceSecret: secret,
}).catch((error: unknown) => {
  if (error instanceof PortTaken) role.fatal(error.message)
  throw error
})
const { url, drain } = gateway
role.lease.touch()
role.onDrain(async () => {
  await Promise.all([drain(), schemas.close()])
  views.stop()
  keys.stop()
})
role.ready({ url })

/** Known once it listens, and told to those who look for a gateway. */
function addressesOf(open: Gateway | undefined) {
  if (!open) return {}
  const { url, publicUrl } = open
  return { url, ...(publicUrl !== undefined && { publicUrl }) }
}
