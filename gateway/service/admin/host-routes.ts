/** Processes and browser hosts, for the operator. */
import { z } from 'zod'
import { defined } from '../../../proto/defined.ts'
import { isolationModes, liveHostStates, type HostRecord } from '../../../proto/host.ts'
import { roles } from '../../../proto/ids.ts'
import { toIsoTime } from '../../routing/answers/iso-time.ts'
import { jsonRoute, type Route } from '../../routing/route.ts'
import { askHost, processesIn, type HostDrainDeps, type ProcessFacts } from './processes.ts'

const count = z.number().int()

const processJson = z.object({
  host: z.string().describe('Name of the host: its NODE_ID.'),
  role: z.enum(roles),
  state: z
    .enum(liveHostStates)
    .describe(
      'A draining process takes no new work. A silent one has lost contact: it is dead if it ' +
        'does not come back within HOST_GRACE_SECONDS.',
    ),
  version: z.string(),
  labels: z.array(z.string()).describe('HOST_LABELS of the host.'),
  started_at: z.iso.datetime(),
  ended_last_hour: count.describe(
    'Number of processes of this role on this host that ended in the last hour, before this one ' +
      'started.',
  ),
  address: z.string().optional().describe('Address at which other processes reach it.'),
  isolation: z.enum(isolationModes).optional().describe('Isolation of browsers from their host.'),
  browsers: z
    .object({
      warm: count,
      booting: count,
      claimed: count.describe('Browsers in use by sessions.'),
      queued: count.describe('Callers waiting for a browser.'),
      capacity: count.describe('Maximum number of sessions at once.'),
      ready: z.boolean().describe('Whether a session can get a browser now.'),
      crashed: count.optional(),
      boot_failures: count.optional(),
    })
    .optional()
    .describe('Present on browser hosts; failures are counted since the process started.'),
  machine: z
    .object({
      cores: count,
      load: z.number().describe('Load average over one minute.'),
      memory_bytes: count,
      memory_free_bytes: count,
      process_bytes: count.describe('Resident memory of this process.'),
    })
    .optional()
    .describe('Absent for processes of an older version.'),
})

const hostsJson = z.object({ data: z.object({ processes: z.array(processJson) }) })
const drainedJson = z.object({
  data: z.object({
    host: z.string(),
    sessions: count.describe('Number of sessions still running there.'),
  }),
})

const example: z.infer<typeof processJson> = {
  ...{ host: 'browser-1', role: 'node-agent', state: 'alive', version: '1.0.0' },
  labels: ['zone=a'],
  ...{ started_at: '2026-11-22T14:05:00.000Z', ended_last_hour: 0 },
  ...{ address: 'http://10.0.0.5:7070', isolation: 'full' },
  browsers: {
    ...{ warm: 2, booting: 0, claimed: 3, queued: 0, capacity: 8, ready: true },
    ...{ crashed: 0, boot_failures: 0 },
  },
  machine: {
    ...{ cores: 4, load: 1.25, memory_bytes: 16_777_216_000, memory_free_bytes: 9_663_676_416 },
    process_bytes: 134_217_728,
  },
}

export function hostRoutes(deps: HostDrainDeps): readonly Route[] {
  return [
    jsonRoute({
      method: 'GET',
      path: '/v1/admin/hosts',
      summary: 'List the processes of the service, with the browsers and load of each host.',
      description:
        'Returns what each process reported a few seconds ago at most: browsers that are ' +
        'warm, in use and waited for, isolation, version, and load and memory of its machine.',
      auth: 'key',
      scope: 'admin',
      response: hostsJson,
      example: { answer: { data: { processes: [example] } } },
      handler: () => ({
        data: { processes: processesIn(deps.membership.hosts()).map(toProcessJson) },
      }),
    }),
    drainRoute(deps, 'drain', {
      summary: 'Drain a browser host: it accepts no new sessions.',
      description:
        'Running sessions continue. The host drains until `undrain`, or until its node agent is ' +
        'restarted; stopping the agent ends the sessions that still run. Draining a host twice has no ' +
        'further effect.',
    }),
    drainRoute(deps, 'undrain', {
      summary: 'Let a browser host accept sessions again.',
      description: 'Ends a drain. For a host that does not drain it has no effect.',
    }),
  ]
}

interface RouteText {
  readonly summary: string
  readonly description: string
}

function drainRoute(deps: HostDrainDeps, verb: 'drain' | 'undrain', text: RouteText): Route {
  return jsonRoute({
    method: 'POST',
    path: `/v1/admin/hosts/{host}/${verb}`,
    audit: `host.${verb}`,
    ...text,
    auth: 'key',
    scope: 'admin',
    params: z.object({ host: z.string() }),
    response: drainedJson,
    example: { answer: { data: { host: 'browser-1', sessions: 3 } } },
    about: ({ data: { host, sessions } }) => ({ detail: { host, sessions } }),
    async handler({ params: { host } }) {
      const { sessions } = await askHost(deps, host, verb)
      return { data: { host, sessions } }
    },
  })
}

/** The address at which other processes reach it. */
export const addressOfProcess = ({ publicUrl, url, dataUrl }: HostRecord): string | undefined =>
  publicUrl ?? url ?? dataUrl

function toProcessJson({ record, startedAtMs, endedBefore }: ProcessFacts) {
  const { nodeId, role, state, version, isolation, browsers, machineLoad, labels = [] } = record
  const machine = machineLoad && {
    ...{ cores: machineLoad.cores, load: machineLoad.load },
    memory_bytes: machineLoad.memoryBytes,
    memory_free_bytes: machineLoad.memoryFreeBytes,
    process_bytes: machineLoad.processBytes,
  }
  return {
    ...{ host: nodeId, role, version, labels: [...labels], started_at: toIsoTime(startedAtMs) },
    state,
    ended_last_hour: endedBefore,
    ...defined({ address: addressOfProcess(record), isolation, machine }),
    ...(browsers && { browsers: toBrowsersJson(browsers) }),
  }
}

function toBrowsersJson({ counts, ...load }: NonNullable<HostRecord['browsers']>) {
  const { warm, booting, claimed, queued, capacity, ready } = load
  return {
    ...{ warm, booting, claimed, queued, capacity, ready },
    ...(counts && { crashed: counts.exits.crashed, boot_failures: counts.bootFailures }),
  }
}
