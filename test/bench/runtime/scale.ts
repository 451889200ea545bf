/**
 * What a service with much behind it costs: ended sessions and tasks of fifty tenants in its archive,
 * beside the same service without any. `BENCH_SCALE=1000000` names another number.
 */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { newId } from '../../../proto/ids.ts'
import { sessionOptions, type SessionView } from '../../../proto/session/session.ts'
import { subjects } from '../../../proto/subjects.ts'
import { packSegment } from '../../../runtime/actor/archive/segment.ts'
import { actorLimits } from '../../../runtime/actor/limits.ts'
import type { NatsStore } from '../../../runtime/store/nats/buckets.ts'
import { until } from '../../helpers/lib/until.ts'
import { openInsider } from '../../helpers/service/insider.ts'
import { newKey } from '../../helpers/service/keys.ts'
import { startService, type Rest, type Service } from '../../helpers/service/service.ts'
import { median, MiB, ms, timings, type Bench, type Figure } from '../lib/report.ts'

const size = Number(process.env['BENCH_SCALE'] ?? 100_000)
const tenants = 50
const requests = 40

/** As many sessions of each tenant; every tenth has the tag that is searched for. */
async function fill(store: NatsStore, entries: number): Promise<void> {
  const { segmentEntries } = actorLimits
  const options = sessionOptions({})
  const each = entries / tenants
  for (let tenant = 0; tenant < tenants; tenant++) {
    const name = `tenant-${tenant}`
    const subject = subjects.archive('session', name)
    let last = 0
    for (let at = 0; at < each; at += segmentEntries) {
      const count = Math.min(segmentEntries, each - at)
      const views = Array.from({ length: count }, (_, i): SessionView => {
        const createdAtMs = Date.now() - (each - at - i) * 1_000
        const tags = i % 10 === 0 ? ['nightly'] : []
        return {
          ...{
            id: newId('ses', createdAtMs),
            tenant: name,
            status: 'completed',
            createdAtMs,
            tags,
          },
          ...{ endedAtMs: createdAtMs + 500, keyId: 'key_1', keyName: 'a key', options },
          ...{ reason: 'deleted', nodeId: 'host-1' },
        }
      })
      const upTo = { entries: at + count, bytes: 0 }
      last = await store.archive.append(subject, packSegment({ keptFrom: 0, upTo, views }), last)
    }
  }
}

interface Scaled {
  readonly startMs: number
  readonly rebuiltMs: number
  readonly natsMs: number
  readonly listMs: number
  readonly tagMs: number
  readonly getMs: number
  readonly gatewayBytes: number
  readonly natsBytes: number
}

async function measure(entries: number): Promise<Scaled> {
  const env = { STORE_MAX_MIB: '16384', RETENTION_PER_TENANT: String(entries + 1) }
  const service = await startService({ env })
  const insider = await openInsider(service.dataDir)
  try {
    await fill(insider.store, entries)
    const { rest } = await newKey(service, 'reader', '--tenant', `tenant-${tenants - 1}`)
    const isRight = isRightOf(rest, entries / tenants)
    await until('the gateway has read all', isRight, 600_000)
    const away = (program: 'gateway' | 'nats-server') => awayMs(service, program, isRight)
    const startMs = median([await away('gateway'), await away('gateway'), await away('gateway')])
    const listMs = median(await timings(requests, () => rest('GET', `${list}&limit=20`)))
    const tagMs = median(await timings(requests, () => rest('GET', `${list}&tags=nightly`)))
    const id = await oldestOf(rest)
    const getMs = median(await timings(requests, () => rest('GET', id)))
    const bytes = (program: 'gateway' | 'nats-server') => ownBytes(service, program)
    const held = { gatewayBytes: bytes('gateway'), natsBytes: bytes('nats-server') }
    const natsMs = await away('nats-server')
    rmSync(join(service.dataDir, 'models'), { recursive: true })
    const rebuiltMs = await away('gateway')
    return { startMs, rebuiltMs, natsMs, listMs, tagMs, getMs, ...held }
  } finally {
    await insider.close()
    await service.stop()
  }
}

const list = '/v1/sessions?sort_order=desc'

interface ListAnswer {
  readonly data?: { readonly total: number; readonly sessions: readonly { readonly id: string }[] }
}

const isRightOf = (rest: Rest, total: number) => async () => {
  try {
    return (await rest<ListAnswer>('GET', list)).body.data?.total === total
  } catch {
    return false // No gateway listens.
  }
}

/** Without any sessions, the path of one that never was. */
async function oldestOf(rest: Rest): Promise<string> {
  const { body } = await rest<ListAnswer>('GET', '/v1/sessions?limit=1')
  return `/v1/sessions/${body.data?.sessions[0]?.id ?? newId('ses')}`
}

async function awayMs(
  service: Service,
  program: 'gateway' | 'nats-server',
  isRight: () => Promise<boolean>,
): Promise<number> {
  const beganMs = performance.now()
  await service.strike(program)
  await until('lists are right again', isRight, 600_000)
  return performance.now() - beganMs
}

/** Without what the kernel has cached of its files. */
function ownBytes(service: Service, program: 'gateway' | 'nats-server'): number {
  const rollup = readFileSync(`/proc/${service.pidOf(program)}/smaps_rollup`, 'utf8')
  return Number(/^Pss_Anon: +(\d+) kB$/m.exec(rollup)?.[1]) * 1024
}

export const scale: Bench = {
  name: 'scale',
  on: 'nothing',
  async run() {
    const none = await measure(0)
    const many = await measure(size)
    const count = size.toLocaleString('en')
    const timed = (name: string, of: keyof Scaled, target: string, isMet: boolean): Figure => ({
      name: `${name}, ${count} ended`,
      ours: ms(many[of]),
      baseline: `${ms(none[of])} (none)`,
      ratio: many[of] / none[of],
      target,
      met: isMet,
    })
    const held = (name: string, of: 'gatewayBytes' | 'natsBytes', most: number): Figure => ({
      name: `${name}, ${count} ended`,
      ours: MiB(many[of]),
      baseline: `${MiB(none[of])} (none)`,
      target: most === Infinity ? '–' : `≤ +${MiB(most)}`,
      met: many[of] - none[of] <= most,
    })
    return [
      timed(
        'killed gateway until its lists are right',
        'startMs',
        '≤ 1.5×',
        many.startMs <= 1.5 * none.startMs,
      ),
      timed('the same without its copy of the archive', 'rebuiltMs', '–', true),
      timed(
        'killed nats-server until lists are right',
        'natsMs',
        '≤ 1.5×',
        many.natsMs <= 1.5 * none.natsMs,
      ),
      timed('list of 20, newest first, p50', 'listMs', '≤ 10 ms', many.listMs <= 10),
      timed('list by a tag, p50', 'tagMs', '–', true),
      timed('one session, p50', 'getMs', '≤ 10 ms', many.getMs <= 10),
      held('own memory of gateway', 'gatewayBytes', 50 * 2 ** 20),
      held('own memory of nats-server', 'natsBytes', Infinity),
    ]
  },
}
