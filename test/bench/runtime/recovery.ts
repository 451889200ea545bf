/**
 * What a user notices when a process of the service is killed, or stands still for 10 s: how long
 * until a command on a running session, a creation and a new socket work again, counted from the
 * blow; and what becomes of an open socket and of the session. All requests are sent from the blow
 * on, so one that hangs counts as it would for a user.
 */
import { sleep, systemClock } from '../../../runtime/lib/clock.ts'
import { connectRaw, type RawCdp } from '../../helpers/browser/browsers.ts'
import { isRunning } from '../../helpers/lib/processes.ts'
import {
  createSession,
  isReady,
  startService,
  type Service,
} from '../../helpers/service/service.ts'
import { until } from '../../helpers/lib/until.ts'
import { type Bench, type Figure } from '../lib/report.ts'

const pauseMs = 10_000
const againAfterMs = 25
const giveUpMs = 60_000
const programs = ['gateway', 'actors', 'node-agent', 'nats-server'] as const
type Program = (typeof programs)[number]

interface Scene {
  readonly service: Service
  readonly id: string
  readonly cdpUrl: string
  readonly socket: RawCdp
}

/** Repeats `attempt` until it succeeds, and returns the seconds since `sinceMs`. */
async function works(sinceMs: number, attempt: () => Promise<boolean>): Promise<string> {
  while (performance.now() - sinceMs < giveUpMs) {
    if (await attempt().catch(() => false)) {
      return ((performance.now() - sinceMs) / 1_000).toFixed(2)
    }
    await sleep(systemClock, againAfterMs)
  }
  return 'never'
}

/** A command to the session; once it has ended there is nothing to wait for. */
async function commandWorks({ service, id }: Scene, sinceMs: number): Promise<string> {
  let isLost = false
  const seconds = await works(sinceMs, async () => {
    const { status } = await service.rest('POST', `/v1/sessions/${id}/commands/tab_list`, {})
    isLost = status === 410
    return status === 200 || isLost
  })
  return isLost ? 'lost' : seconds
}

function createWorks({ service }: Scene, sinceMs: number): Promise<string> {
  return works(sinceMs, async () => {
    const { id } = await createSession(service.rest)
    void service.rest('DELETE', `/v1/sessions/${id}`).catch(() => undefined)
    return true
  })
}

async function socketWorks({ cdpUrl, service, id }: Scene, sinceMs: number): Promise<string> {
  let isLost = false
  const seconds = await works(sinceMs, async () => {
    const { status, body } = await service.rest('GET', `/v1/sessions/${id}`)
    isLost = status === 200 && ['lost', 'failed'].includes(body.data.status)
    if (isLost) return true
    const socket = await connectRaw(cdpUrl)
    await socket.send('Browser.getVersion')
    socket.close()
    return true
  })
  return isLost ? 'lost' : seconds
}

/** What became of the socket that was open: its close code, or that it still answers. */
async function socketState({ socket }: Scene): Promise<string> {
  const closed = socket.closed.then(({ code }) => `closed with ${code}`)
  const answers = socket.send('Browser.getVersion').then(
    () => 'open',
    () => closed,
  )
  return Promise.race([closed, answers])
}

async function strike(
  service: Service,
  program: Program,
  blow: 'killed' | 'paused',
  probe: (sinceMs: number) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const pid = service.pidOf(program)
  const sinceMs = performance.now()
  process.kill(pid, blow === 'killed' ? 'SIGKILL' : 'SIGSTOP')
  const found = probe(sinceMs)
  if (blow === 'paused') {
    await sleep(systemClock, pauseMs)
    // Its supervisor may have replaced it.
    if (isRunning(pid)) process.kill(pid, 'SIGCONT')
  }
  return found
}

async function measure(
  service: Service,
  program: Program,
  blow: 'killed' | 'paused',
): Promise<Figure> {
  await until('the service is ready', () => isReady(service.rest))
  const { id, cdp_url: cdpUrl } = await createSession(service.rest)
  const scene: Scene = { service, id, cdpUrl, socket: await connectRaw(cdpUrl) }
  await scene.socket.send('Browser.getVersion')
  const [command, create, socket] = await strike(service, program, blow, (sinceMs) =>
    Promise.all([
      commandWorks(scene, sinceMs),
      createWorks(scene, sinceMs),
      socketWorks(scene, sinceMs),
    ]),
  )
  const state = await socketState(scene)
  const { body } = await service.rest('GET', `/v1/sessions/${id}`)
  scene.socket.close()
  await service.rest('DELETE', `/v1/sessions/${id}`)
  return {
    name: `recovery: ${program} ${blow}: s until a command, a creation, a new socket`,
    ours: `${command}, ${create}, ${socket}; socket ${state}, session ${body.data.status}`,
    target: '–',
    met: true,
  }
}

export const recovery: Bench = {
  name: 'recovery',
  on: 'nothing',
  async run() {
    const service = await startService({ env: { POOL_HEADLESS: '3' } })
    const figures: Figure[] = []
    try {
      for (const blow of ['killed', 'paused'] as const) {
        for (const program of programs) figures.push(await measure(service, program, blow))
      }
    } finally {
      await service.stop()
    }
    return figures
  },
}
