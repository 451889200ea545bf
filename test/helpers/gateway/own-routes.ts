/** A real server and app around a test's own routes, to see what the route form does over HTTP. */
import type { Test } from 'tap'
import { noAccess, type AccessGate } from '../../../gateway/access/gate/gate.ts'
import { App } from '../../../gateway/app.ts'
import { RequestAudit } from '../../../gateway/service-audit/request-audit.ts'
import { Authenticator } from '../../../gateway/routing/auth/auth.ts'
import { Metrics } from '../../../gateway/service/metrics/metrics.ts'
import { DevKeyRule } from '../../../gateway/routing/auth/dev-key.ts'
import { KeyValidity } from '../../../gateway/routing/auth/key-validity.ts'
import { WrongKeys } from '../../../gateway/routing/auth/wrong-keys.ts'
import { OriginGuard } from '../../../gateway/routing/auth/origin.ts'
import { AnswerRoom } from '../../../gateway/routing/answers/answer-room.ts'
import { Idempotency } from '../../../gateway/routing/answers/idempotency.ts'
import type { Route } from '../../../gateway/routing/route.ts'
import { chooseEngine } from '../../../gateway/server/engine.ts'
import { startHttpServer } from '../../../gateway/server/server.ts'
import { devKey } from '../../../proto/accounts/dev-key.ts'
import { type KeyRecord } from '../../../proto/accounts/key.ts'
import { buckets } from '../../../proto/subjects.ts'
import { systemClock, type Clock } from '../../../runtime/lib/clock.ts'
import { loadConfig } from '../../../runtime/config/config.ts'
import { closeKeptConnections } from './kept-connections.ts'
import { MemoryStore } from '../runtime/memory-store.ts'
import type { Bucket } from '../../../runtime/store/store.ts'
import { secret } from './gateway.ts'
import { silent } from '../nats/nats.ts'
import { PlayedKeys } from './played/keys.ts'
import { serverEngine } from '../service/server-engine.ts'
import { playedSecret } from './played/secret.ts'

export interface OwnRoutesOptions {
  readonly access?: AccessGate
  readonly answerBytes?: number
  readonly idempotency?: Bucket
  readonly keys?: readonly KeyRecord[]
  /** The clock of stored Idempotency-Key answers. */
  readonly clock?: Clock
  readonly allowedOrigins?: readonly string[]
}

export interface Heard {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Undefined when the answer is not JSON. */
  readonly body: { readonly data?: unknown; readonly error?: Readonly<Record<string, unknown>> }
}

export type Say = (
  method: string,
  path: string,
  more?: { readonly headers?: Readonly<Record<string, string>>; readonly body?: string },
) => Promise<Heard>

export async function serveRoutes(
  t: Test,
  routes: readonly Route[],
  options: OwnRoutesOptions = {},
): Promise<{ readonly url: string; readonly say: Say }> {
  const keys = new PlayedKeys(options.keys)
  const clock = options.clock ?? systemClock
  const idempotency = options.idempotency ?? new MemoryStore().bucket(buckets.idempotency)
  const shareBytes = () => options.answerBytes ?? Infinity
  const room = new AnswerRoom({ clock, log: silent, shareBytes })
  await room.follow(idempotency)
  const app = new App({
    routes,
    sockets: [],
    timings: new Metrics().timings,
    audit: new RequestAudit({
      serviceAudit: { add: () => undefined, addRepeated: () => undefined },
      config: { PUBLIC_URL: '' },
      clock: systemClock,
    }),
    access: options.access ?? noAccess,
    idempotency: new Idempotency({ bucket: idempotency, clock, log: silent, room }),
    auth: new Authenticator({
      keys,
      keyValidity: new KeyValidity(keys, systemClock, playedSecret(secret)),
      sessionTokens: { read: () => undefined },
      keyUses: { note: () => undefined },
      wrongKeys: new WrongKeys(systemClock, { PUBLIC_URL: '' }),
      serviceSecret: playedSecret(secret),
      clock: systemClock,
      devKeyRule: new DevKeyRule(loadConfig({ DEV_KEY: devKey, DATA_DIR: '/nowhere' }), {
        allows: () => false,
      }),
    }),
    origins: new OriginGuard({
      host: '127.0.0.1',
      publicUrl: '',
      allowedOrigins: options.allowedOrigins ?? [],
    }),
    clock: systemClock,
    log: silent,
  })
  const server = await startHttpServer(chooseEngine(serverEngine), {
    host: '127.0.0.1',
    port: 0,
    handle: (request) => app.handle(request),
    upgrade: (request) => app.upgrade(request),
  })
  t.teardown(() => {
    room.stop()
    closeKeptConnections()
    server.stop()
  })
  const url = `http://127.0.0.1:${server.port}`
  const say: Say = async (method, path, more = {}) => {
    const response = await fetch(url + path, { method, ...more })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') ?? false
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : {},
    }
  }
  return { url, say }
}
