/** `troupe status`: whether the service is usable, and its load. */
import { type CliCommand } from '../command.ts'
import { alignColumns } from '../help.ts'
import { serviceBase } from '../service-base.ts'
import { askService, callVariables, type CliAnswer } from '../service-call.ts'
import { prettyJson } from '../terminal/table.ts'

interface ReadyFacts {
  readonly server: string
  readonly nodes: number
  readonly warm: number
  readonly claimed: number
  readonly capacity: number
  readonly isolation: string
  /** Absent from gateways of an older version. */
  readonly isolation_lacks?: readonly string[]
  readonly bounds?: 'kernel' | 'checks'
}

interface ServiceStatus {
  readonly service: string
  readonly version?: string
  readonly ready: boolean
  /** Why no browser can be handed out. */
  readonly reason?: string
  readonly browsers?: ReadyFacts
  /** Running sessions of the key's tenant; absent if the key is refused. */
  readonly sessions_running?: number
  readonly tasks_running?: number
}

export const statusCommand: CliCommand = {
  usage: 'status [--json]',
  about: 'Show whether the service can be used, and its load.',
  more: 'The exit code is 0 while a browser can be handed out. `hosts list` shows each process.',
  options: { json: { help: 'Print it as JSON.' } },
  variables: callVariables,
  examples: ['troupe status', 'SVC_BASE=https://browsers.example.com troupe status --json'],
  async run({ switches }) {
    const found = await readStatus()
    console.log(switches.has('json') ? prettyJson(found) : alignColumns(rowsOf(found), ''))
    return found.ready ? 0 : 1
  },
}

async function readStatus(): Promise<ServiceStatus> {
  const [live, ready, sessions, tasks] = await Promise.all([
    askService('GET', '/health/live'),
    askService('GET', '/health/ready'),
    askService('GET', '/v1/sessions?status=running&limit=1'),
    askService('GET', '/v1/tools/perform-web-task?status=RUNNING&limit=1'),
  ])
  const { version } = dataIn<{ version?: string }>(live) ?? {}
  const browsers = dataIn<ReadyFacts>(ready)
  const running = dataIn<{ total: number }>(sessions)?.total
  const tasksRunning = dataIn<{ total: number }>(tasks)?.total
  return {
    service: serviceBase(),
    ...(version !== undefined && { version }),
    ready: browsers !== undefined,
    ...(browsers ? { browsers } : { reason: errorIn(ready) }),
    ...(running !== undefined && { sessions_running: running }),
    ...(tasksRunning !== undefined && { tasks_running: tasksRunning }),
  }
}

const dataIn = <T>({ body }: CliAnswer): T | undefined => (body as { data?: T } | undefined)?.data

const errorIn = ({ status, body }: CliAnswer): string =>
  (body as { error?: { message?: string } } | undefined)?.error?.message ?? `it answers ${status}`

function rowsOf(found: ServiceStatus): readonly (readonly [string, string])[] {
  const { browsers, version = 'unknown' } = found
  const unknown = 'unknown: set SVC_API_KEY to a key of the service'
  return [
    ['Service', `${found.service}, version ${version}`],
    ['Ready', browsers ? 'yes' : `no: ${found.reason}`],
    ...(browsers
      ? ([
          ['Browsers', `${browsers.warm} warm, ${browsers.claimed} of ${browsers.capacity} in use`],
          ['Hosts', `${browsers.nodes} with browsers; isolation: ${isolationText(browsers)}`],
        ] as const)
      : []),
    ['Sessions', runningText(found.sessions_running) ?? unknown],
    ['Tasks', runningText(found.tasks_running) ?? unknown],
  ]
}

const isolationText = ({ isolation, isolation_lacks: lacks = [], bounds }: ReadyFacts): string =>
  [[isolation, ...lacks].join(', as '), ...(bounds ? [boundsText[bounds]] : [])].join('; ')

const boundsText = {
  kernel: 'memory and processes limited by the kernel',
  checks: 'memory and processes checked every two seconds',
}

const runningText = (count: number | undefined): string | undefined =>
  count === undefined ? undefined : `${count} running in the tenant of this key`
