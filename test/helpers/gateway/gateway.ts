/**
 * A real gateway on a real port, with everything behind it played: one actor that answers as a test
 * wants, views that a test sets, and a WebSocket server as the browser. For cases that are hard to
 * cause with a whole service.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino, type Logger } from 'pino'
import { WebSocketServer, type WebSocket } from 'ws'
import type { ActorView, AnyActorProtocol } from '../../../proto/actor.ts'
import { ServiceError } from '../../../proto/errors.ts'
import type { ModelPrice } from '../../../proto/accounts/credential.ts'
import { decode, encode } from '../../../proto/codec.ts'
import type { Reply } from '../../../proto/envelope.ts'
import type { HostRecord } from '../../../proto/host.ts'
import { newId, newIncarnation } from '../../../proto/ids.ts'
import { devKey } from '../../../proto/accounts/dev-key.ts'
import { devKeyId, sessionKey, type KeyRecord } from '../../../proto/accounts/key.ts'
import { limits } from '../../../proto/limits.ts'
import type { NodeRequest } from '../../../proto/browser-host/node.ts'
import type { BrowserClaim } from '../../../proto/session/browser-claim.ts'
import { sessionOptions, type SessionView } from '../../../proto/session/session.ts'
import { buckets } from '../../../proto/subjects.ts'
import type { TaskInput, TaskView } from '../../../proto/task/task.ts'
import { NoResponders, type MessageSubscriber } from '../../../runtime/store/bus.ts'
import { auditSigner } from '../../../runtime/access/audit/open.ts'
import type { NewAuditEntry } from '../../../runtime/service-audit/writer.ts'
import { systemClock, type Clock } from '../../../runtime/lib/clock.ts'
import { loadConfig } from '../../../runtime/config/config.ts'
import { openCredentials } from '../../../runtime/accounts/credentials/open.ts'
import type { AccessSource } from '../../../runtime/accounts/credentials/source.ts'
import type { AskOptions } from '../../../runtime/actor/directory.ts'
import { KeptViews } from '../../../runtime/actor/kept-views.ts'
import { keptOfTenants } from './kept-of-tenants.ts'
import { closeKeptConnections } from './kept-connections.ts'
import { MemoryLog, MemoryStore } from '../runtime/memory-store.ts'
import { OutputSchemas } from '../../../runtime/lib/schemas/output-schemas.ts'
import { DeliveryStore } from '../../../runtime/webhooks/delivery/store.ts'
import { openSealer } from '../../../runtime/accounts/seal/seal.ts'
import type { Bucket, Store } from '../../../runtime/store/store.ts'
import { PlayedHosts } from './played/hosts.ts'
import { PlayedKeys } from './played/keys.ts'
import type { Said } from '../runtime/said.ts'
import { serverEngine } from '../service/server-engine.ts'
import { AccessRates } from '../../../gateway/access/gate/rates.ts'
import { openGateway, type Gateway } from '../../../gateway/gateway.ts'
import type { GatewayDeps } from '../../../gateway/services.ts'
import { playedSecret } from './played/secret.ts'

export const secret = 'a service secret for tests'
const sealKey = Buffer.alloc(32, 'seal key').toString('base64')
const machine = 'this machine'

/** Stands in for Chromium: by default it echoes everything. */
export async function playBrowser(onMessage: (socket: WebSocket, data: Buffer) => void = echo) {
  const server = createServer((_, response) => response.end('{}'))
  const socketServer = new WebSocketServer({ server, maxPayload: 2 ** 29 })
  const sockets = new Set<WebSocket>()
  /** Paths and queries of the handshakes. */
  const requests: string[] = []
  socketServer.on('connection', (socket, { url }) => {
    sockets.add(socket)
    requests.push(url ?? '')
    socket.on('error', () => undefined) // What matters of an error is the close that follows it.
    socket.on('message', (data: Buffer) => onMessage(socket, data))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const drop = () => sockets.forEach((socket) => socket.terminate())
  return {
    port,
    requests,
    /** Closes all connections; the browser still answers. */
    drop,
    close: () =>
      new Promise<void>((resolve) => {
        drop()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function echo(socket: WebSocket, data: Buffer): void {
  socket.send(data, { binary: false })
}

class PlayedHeldViews<V extends ActorView> {
  readonly #views = new Map<string, V>()
  readonly #listeners = new Set<(view: V | undefined, id: string) => void>()

  get(id: string) {
    return this.#views.get(id)
  }

  list(tenant: string) {
    const found = [...this.#views.values()].filter((view) => view.tenant === tenant)
    return found.sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  all() {
    return this.#views.values()
  }

  learn(view: V) {
    if (!this.#views.has(view.id)) this.set(view)
  }

  onChange(listener: (view: V | undefined, id: string) => void) {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  set(view: V) {
    this.#views.set(view.id, view)
    for (const listener of this.#listeners) listener(view, view.id)
  }
}

const noHistory = {
  version: '',
  get: () => undefined,
  has: () => false,
  walk: () => [],
  idsOf: () => [],
  count: () => 0,
  tally: () => new Map(),
  uses: () => [],
  tenants: () => [],
}

/** Views as a watch would deliver them, without an archive. */
export class PlayedViews<V extends ActorView = SessionView> extends KeptViews<V> {
  readonly set: (view: V) => void

  constructor() {
    const held = new PlayedHeldViews<V>()
    super(held, noHistory)
    this.set = (view) => held.set(view)
  }
}

type Answer = (id: string, command: Said) => unknown

export interface PlayedService {
  readonly gateway: Gateway
  readonly views: PlayedViews<SessionView>
  readonly keys: PlayedKeys
  readonly hosts: PlayedHosts
  /** Entries of the service's audit, in order. */
  readonly audited: readonly NewAuditEntry[]
  readonly taskViews: PlayedViews<TaskView>
  /** The commands sent to actors, in order. */
  readonly told: { readonly id: string; readonly command: Said }[]
  readonly sessionId: string
  /** The `cdp_url` of the played session. */
  readonly cdpUrl: string
  close(): Promise<void>
}

export interface PlayedTask {
  showIn(views: PlayedViews<TaskView>): void
  created(input: TaskInput): TaskView
  onCommand(id: string, command: Said, untilSettled: boolean): Promise<TaskView>
}

export interface PlayedOptions {
  /** The port of the played browser. */
  readonly port?: number
  readonly claim?: Partial<BrowserClaim>
  /** Replaces the actor's usual answers; where it gives undefined the usual answer is used. */
  readonly answer?: Answer
  readonly create?: (input: { readonly id: string }) => Promise<unknown>
  /** Plays the actor of every task, and keeps its inputs and commands. */
  readonly task?: PlayedTask
  /**
   * Providers with credentials, the default one first; without this the accounts of `env` and
   * `accounts` are used.
   */
  readonly providers?: readonly string[]
  /** The price of each of their models. */
  readonly price?: ModelPrice
  /** The store and bus of task records, for tests that publish some. */
  readonly feed?: {
    readonly store: Omit<GatewayDeps['store'], 'serviceAudit' | 'usage'>
    readonly bus: MessageSubscriber
  }
  readonly keys?: readonly KeyRecord[]
  readonly hosts?: readonly HostRecord[]
  /** The service's audit as pages and lists read it. */
  readonly serviceAudit?: GatewayDeps['store']['serviceAudit']
  /** Subscriptions, if not those of `feed`. */
  readonly subscriber?: MessageSubscriber
  readonly usage?: GatewayDeps['store']['usage']
  readonly env?: Readonly<Record<string, string>>
  /** Checks output schemas. */
  readonly schemas?: OutputSchemas
  /** The store of accounts and logins; several gateways may share it. */
  readonly accounts?: Store
  /** The bucket for requests with an Idempotency-Key; several gateways may share it. */
  readonly idempotency?: Bucket
  readonly clock?: Clock
  /** The views of tasks; several gateways may share them. */
  readonly taskViews?: PlayedViews<TaskView>
  readonly log?: Logger
  /** Plays a node agent; without it there is none. */
  readonly node?: (subject: string, request: unknown) => Promise<Reply>
}

export async function playService(options: PlayedOptions = {}): Promise<PlayedService> {
  const views = new PlayedViews<SessionView>()
  const { taskViews = new PlayedViews<TaskView>(), clock = systemClock } = options
  const { task, providers, price, feed, schemas = new OutputSchemas() } = options
  const told: { id: string; command: Said }[] = []
  const audited: NewAuditEntry[] = []
  const sessionId = newId('ses')
  views.set(playedView(sessionId))
  const claim: BrowserClaim = {
    nodeId: 'node',
    incarnation: newIncarnation('node', 'node-agent'),
    browserId: newId('brw'),
    devtoolsPort: options.port ?? 1,
    devtoolsPath: '/devtools/browser/of-this-test',
    machine,
    dataUrl: `http://127.0.0.1:${options.port ?? 1}`,
    ticketSecret: 'ticket secret',
    downloadsDir: '/downloads/of/this/session',
    ...options.claim,
  }
  const usual: Answer = (id) => {
    const view = views.get(id)
    if (!view) throw new ServiceError('not_found', 'There is no such session.')
    return { view, claim, epoch: 1 }
  }
  task?.showIn(taskViews)
  const askTask = async (id: string, command: Said, options: AskOptions) => {
    const { tenant, untilSettled = false } = options
    const view = taskViews.get(id)
    if (!view || !task || (tenant ?? view.tenant) !== view.tenant) {
      throw new ServiceError('not_found', 'There is no such task.')
    }
    return { view: await task.onCommand(id, command, untilSettled) }
  }
  const directory = {
    async ask({ kind }: AnyActorProtocol, id: string, command: Said, asking: AskOptions = {}) {
      told.push({ id, command })
      if (kind === 'task') return askTask(id, command, asking)
      const view = views.get(id)
      if (asking.tenant !== undefined && view && asking.tenant !== view.tenant) {
        throw new ServiceError('not_found', 'There is no such session.')
      }
      return (await options.answer?.(id, command)) ?? usual(id, command)
    },
    async create({ kind }: AnyActorProtocol, id: string, input: { readonly id: string }) {
      if (kind === 'task') return { view: task!.created(input as TaskInput) }
      if (options.create) return options.create(input)
      views.set({ ...playedView(id), ...input })
      return { view: views.get(id) }
    },
  } as GatewayDeps['directory']
  const keys = new PlayedKeys(options.keys)
  const keyBucket = new MemoryStore().bucket(buckets.keys)
  for (const record of options.keys ?? []) await keyBucket.create(record.id, encode(record))
  await keyBucket.watch((change) => {
    if (change.type === 'put') keys.set(decode<KeyRecord>(change.value))
  })
  const hosts = new PlayedHosts(options.hosts)
  const config = loadConfig({
    ...{ PORT: '0', SEAL_KEY: sealKey, SERVER_ENGINE: serverEngine, DEV_KEY: devKey },
    DATA_DIR: '/nowhere',
    ...options.env,
  })
  const credentials = openCredentials({
    store: options.accounts ?? new MemoryStore(),
    sealer: openSealer(config),
    clock: systemClock,
    config,
  })
  const gateway = await openGateway({
    config,
    incarnation: newIncarnation('test', 'gateway'),
    machine,
    log: options.log ?? pino({ level: 'silent' }),
    clock,
    bus: {
      messageBytes: limits.natsMessageBytes,
      async request(subject, payload) {
        if (!options.node) throw new NoResponders(subject)
        const asked = decode<object>(payload)
        // A question to a node agent carries the id under which it is repeated.
        const request = 'again' in asked ? (asked as NodeRequest).request : asked
        return encode(await options.node(subject, request))
      },
      serve: () => ({ stop() {} }),
      subscribe: (subject, onMessage) =>
        (options.subscriber ?? feed?.bus)?.subscribe(subject, onMessage) ?? { stop() {} },
    },
    directory,
    membership: hosts,
    views,
    taskViews,
    archive: { isComplete: true, archivedBytes: () => ({}) },
    endpointViews: { list: () => [], learn: () => undefined },
    store: {
      steps: new MemoryLog(),
      pictures: new MemoryLog(),
      serviceAudit: options.serviceAudit ?? new MemoryLog(),
      usage: options.usage ?? (async () => []),
      ...feed?.store,
    },
    serviceAudit: {
      add: (entry) => void audited.push(entry),
      addRepeated: (_, entry) => void audited.push(entry),
    },
    access: providers ? playedAccess(providers, price) : credentials.accounts,
    schemas,
    sealer: {
      seal: (text, context) => `sealed for ${context.join('/')}: ${text.length} characters`,
    },
    keys,
    keyBucket,
    credentials,
    ...keptOfTenants(config),
    idempotency: options.idempotency ?? new MemoryStore().bucket(buckets.idempotency),
    serviceSecret: playedSecret(secret),
    scopedAccess: {
      viewMap: { onChange: () => () => undefined, entries: () => [] },
      names: new MemoryStore().bucket(buckets.names),
      records: new MemoryStore().bucket(buckets.records),
      recordChanges: new MemoryLog(),
      cursorSecret: () => secret,
      sealer: openSealer(config),
      deliveries: new DeliveryStore({
        bucket: new MemoryStore().bucket(buckets.deliveries),
        keys: new MemoryLog(),
      }),
      rates: new AccessRates(systemClock),
      notes: { add: () => undefined },
      reads: { add: () => undefined },
      assertAudited: () => undefined,
      audit: {
        store: {
          ...{ audit: new MemoryLog(), checkpoints: new MemoryLog() },
          bucket: (name) => new MemoryStore().bucket(name),
        },
        signer: auditSigner({ SEAL_KEY: sealKey, DATA_DIR: '' }),
        watch: { state: undefined, lagMs: 0 },
      },
      isFresh: () => true,
    },
  })
  const key = sessionKey(secret, sessionId, devKeyId)
  return {
    gateway,
    views,
    keys,
    hosts,
    audited,
    taskViews,
    told,
    sessionId,
    cdpUrl: `${gateway.url.replace('http', 'ws')}/?apiKey=${key}&sessionId=${sessionId}`,
    close: async () => {
      closeKeptConnections()
      await Promise.all([gateway.drain(), schemas.close()])
    },
  }
}

function playedAccess(providers: readonly string[], price: ModelPrice | undefined): AccessSource {
  return {
    find: async (_tenant, provider) =>
      providers.includes(provider)
        ? { provider, token: async () => 'a token', ...(price && { price }) }
        : undefined,
    fallback: async () => providers[0],
  }
}

export function playedView(id: string): SessionView {
  return {
    id,
    tenant: 'default',
    status: 'running',
    createdAtMs: Date.now(),
    keyId: 'dev',
    keyName: 'development',
    tags: [],
    options: sessionOptions({}),
    nodeId: 'node',
  }
}
