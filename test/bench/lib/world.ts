/**
 * What every bench of the service needs: the service, a way to wait until its pool is full, and a
 * page to visit.
 */
import {
  createSession,
  headless,
  startService,
  type Service,
  type SessionJson,
} from '../../helpers/service/service.ts'
import { atRest } from '../runtime/at-rest.ts'
import { until } from '../../helpers/lib/until.ts'
import { serveWebPage, type WebPage } from '../../helpers/pages/web-page.ts'

export interface World {
  readonly kind: WorldKind
  readonly service: Service
  readonly page: WebPage
  readonly pool: number
  /**
   * Waits until the pool is full and its browsers are idle: a Chromium that has just started is
   * busy for a moment, and the bench measures a warm create, not the refill.
   */
  calm(): Promise<void>
  create(): Promise<SessionJson>
  release(id: string): Promise<void>
  close(): Promise<void>
}

/** Browsers kept warm, of one kind at a time: the other kind would only use memory and time. */
const kinds = {
  headless: { pool: 4, variable: 'POOL_HEADLESS', body: headless },
  headful: { pool: 2, variable: 'POOL_HEADFUL', body: {} },
} as const
export type WorldKind = keyof typeof kinds

export async function openWorld(
  kind: WorldKind,
  env: Readonly<Record<string, string>> = {},
): Promise<World> {
  const { pool, variable, body } = kinds[kind]
  const none = { POOL_HEADLESS: '0', POOL_HEADFUL: '0' }
  const service = await startService({
    env: {
      ...none,
      ...{ [variable]: String(pool), MAX_SESSIONS: '16', LOG_LEVEL: 'error' },
      // The tasks' model is on loopback.
      ALLOW_PRIVATE_BASE_URLS: 'true',
      ...env,
    },
  })
  const page = await serveWebPage()
  return {
    kind,
    service,
    page,
    pool,
    async calm() {
      await until('the pool is full', () => isFull(service, pool), 60_000)
      await atRest(service.pid)
    },
    create: () => createSession(service.rest, body),
    async release(id) {
      await service.rest('DELETE', `/v1/sessions/${id}`)
    },
    async close() {
      await page.close()
      await service.stop()
    },
  }
}

async function isFull(service: Service, pool: number): Promise<boolean> {
  const metrics = await service.rest<string>('GET', '/metrics')
  const gauge = (state: string) => {
    const line = new RegExp(`^troupe_browsers\\{[^}]*state="${state}"[^}]*\\} (\\d+)`, 'm')
    return Number(line.exec(metrics.body)?.[1] ?? -1)
  }
  return gauge('warm') === pool && gauge('booting') === 0 && gauge('claimed') === 0
}
