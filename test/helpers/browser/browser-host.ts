/**
 * A browser host without its bus: guard, pool and sessions over real Chromium, in its own folder.
 */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { newId } from '../../../proto/ids.ts'
import type { BrowserClaim } from '../../../proto/session/browser-claim.ts'
import { sessionCreateBody, sessionOptions } from '../../../proto/session/session.ts'
import { Guard } from '../../../runtime/process/guard.ts'
import { systemClock } from '../../../runtime/lib/clock.ts'
import { Browser } from '../../../node-agent/browser/browser.ts'
import type { BrowserExit, LaunchOptions } from '../../../node-agent/browser/running.ts'
import { plainShape } from '../../../node-agent/browser/shape.ts'
import { loadConfig } from '../../../runtime/config/config.ts'
import { possibleIsolation } from '../../../runtime/browser-host/isolation/isolation.ts'
import { BrowserPool, type PoolOptions } from '../../../node-agent/pool/pool.ts'
import { egressLimits } from '../../../node-agent/egress/limits.ts'
import { Egress } from '../../../node-agent/network/egress.ts'
import { noPorts } from '../../../node-agent/egress/service-ports.ts'
import { AgentSessions } from '../../../node-agent/sessions/sessions.ts'
import { processesNaming } from '../lib/processes.ts'
import { until } from '../lib/until.ts'
import { isolationHere } from '../service/isolation-here.ts'

export interface BrowserHost {
  readonly root: string
  readonly guard: Guard
  readonly pool: BrowserPool<Browser>
  readonly sessions: AgentSessions
  /** Claimed browsers that ended by themselves. */
  readonly gone: readonly { readonly browser: Browser; readonly exit: BrowserExit }[]
  /** Claims as a session of that creation body would; headless unless the body says otherwise. */
  claim(body?: unknown): Promise<{ readonly sessionId: string; readonly claim: BrowserClaim }>
  full(): Promise<void>
  /** Also returns what is left over, which should be nothing. */
  close(): Promise<{ readonly processes: number; readonly folders: readonly string[] }>
}

export const newRoot = () => mkdtempSync(join(tmpdir(), 'troupe-host-'))

export function openBrowserHost(
  given: Partial<PoolOptions<Browser>> = {},
  root = newRoot(),
  groups?: LaunchOptions['groups'],
): BrowserHost {
  const guard = new Guard()
  const isolation = possibleIsolation(loadConfig(isolationHere))
  const log = pino({ level: 'silent' })
  const settings = { connections: egressLimits.connectionsPerBrowser, nameServers: [] }
  const egress = new Egress({ guard, clock: systemClock, log, settings })
  const gone: { browser: Browser; exit: BrowserExit }[] = []
  const kept = given.kept ?? [{ shape: plainShape, count: 1 }]
  const warmCount = kept.reduce((sum, { count }) => sum + count, 0)
  const pool = new BrowserPool<Browser>({
    boot: (id, shape) =>
      Browser.launch({
        id,
        shape,
        root,
        chromium: 'chromium',
        isolation,
        ports: noPorts,
        egress,
        dataDir: root,
        bus: { request: () => Promise.reject(new Error('it has no bus')) },
        guard,
        clock: systemClock,
        groups,
        graceSeconds: 0,
        log,
      }),
    kept,
    sessionsMax: 4,
    queueSize: 4,
    bootsMax: 2,
    clock: systemClock,
    log,
    onChange: () => undefined,
    onGone: (browser, exit) => gone.push({ browser, exit }),
    ...given,
  })
  const sessions = new AgentSessions(pool, {
    nodeId: 'test',
    incarnation: 'test.node-agent.0',
    machine: 'here',
    dataUrl: 'http://127.0.0.1:0',
  })
  return {
    root,
    guard,
    pool,
    sessions,
    gone,
    async claim(body = {}) {
      const sessionId = newId('ses')
      const { session, browser } = sessionCreateBody.parse(body)
      const headless = { active: true }
      const options = sessionOptions({ session, browser: { headless, ...browser } })
      // As for the key of this machine's owner: the tests' pages are on loopback.
      const network = { allowPrivate: true, ...options.network }
      const request = { sessionId, epoch: 1, options: { ...options, network }, waitMs: 20_000 }
      return { sessionId, claim: await sessions.claim(request) }
    },
    async full() {
      await until('the pool is full', () => pool.load().warm === warmCount)
    },
    async close() {
      await pool.close()
      await egress.close()
      guard.stop()
      await until('every process has ended', () => processesNaming(root).length === 0)
      const folders = readdirSync(root)
      rmSync(root, { recursive: true })
      return { processes: processesNaming(root).length, folders }
    },
  }
}

/** For `connectPlaywright` and `connectRaw`. In a network of its own, a browser is reached by a socket. */
export const devtoolsUrl = ({ devtoolsPort, devtoolsSocket, devtoolsPath }: BrowserClaim) =>
  devtoolsSocket === undefined
    ? `ws://127.0.0.1:${devtoolsPort}${devtoolsPath}`
    : `ws+unix:${devtoolsSocket}:${devtoolsPath}`
