/** The role `gateway`: where clients come in. */
import { decode } from '../proto/codec.ts'
import type { KeyRecord } from '../proto/key.ts'
import type { SessionView } from '../proto/session.ts'
import { buckets } from '../proto/subjects.ts'
import { loadConfig } from '../runtime/config.ts'
import { exitCodes } from '../runtime/exit-codes.ts'
import { openRole } from '../runtime/role.ts'
import { ViewIndex } from '../runtime/views.ts'
import { WatchedMap } from '../runtime/watched-map.ts'
import { serviceSecret } from './auth.ts'
import { openGateway } from './gateway.ts'
import { loadNative, NoNativeServer } from './native.ts'
import { PortTaken } from './server.ts'

// Before anything is joined: without it there is no gateway.
try {
  loadNative()
} catch (error) {
  if (!(error instanceof NoNativeServer)) throw error
  console.error(error.message)
  process.exit(exitCodes.failed)
}

const role = await openRole('gateway', { config: loadConfig() })
const { store, clock } = role

const keyBucket = store.bucket(buckets.keys)
const [views, keys, secret] = await Promise.all([
  ViewIndex.open<SessionView>(store.bucket(buckets.views), 'session', clock),
  WatchedMap.open<KeyRecord>(keyBucket, (bytes) => decode(bytes), clock),
  serviceSecret(keyBucket),
])
const gateway = await openGateway({ ...role, views, keys, serviceSecret: secret }).catch(
  (error: unknown) => {
    if (error instanceof PortTaken) role.fatal(error.message)
    throw error
  },
)
role.onDrain(async () => {
  await gateway.drain()
  views.stop()
  keys.stop()
})
role.ready({ url: gateway.url })
