/** The processes of the service and their hosts, read from the store. */
import type { HostRecord } from '../../../proto/host.ts'
import { askNode } from '../../browser-host/node-client.ts'
import { sleep, systemClock } from '../../lib/clock.ts'
import { CommandFailed, type CliCommand, type CliCommandGroup } from '../command.ts'
import { cliLimits } from '../limits.ts'
import { prettyJson, tableText, type TextColumn } from '../terminal/table.ts'
import { withBus } from '../with-store.ts'
import { liveHosts } from './live-hosts.ts'
import type { Bus } from '../../store/bus.ts'
import type { NatsStore } from '../../store/nats/buckets.ts'

const settings = ['NATS_URL', 'DATA_DIR'] as const

const columns: readonly TextColumn<HostRecord>[] = [
  { head: 'HOST', cell: ({ nodeId }) => nodeId },
  { head: 'ROLE', cell: ({ role }) => role },
  { head: 'STATE', cell: ({ state }) => state },
  { head: 'VERSION', cell: ({ version }) => version },
  { head: 'WARM', cell: ({ browsers }) => browsers?.warm, alignsRight: true },
  { head: 'SESSIONS', cell: ({ browsers }) => browsers?.claimed, alignsRight: true },
  { head: 'MAX', cell: ({ browsers }) => browsers?.capacity, alignsRight: true },
  { head: 'QUEUED', cell: ({ browsers }) => browsers?.queued, alignsRight: true },
  { head: 'ISOLATION', cell: ({ isolation }) => isolation },
  { head: 'LABELS', cell: ({ labels }) => labels?.join(', ') },
  { head: 'ADDRESS', cell: ({ url, publicUrl, dataUrl }) => publicUrl ?? url ?? dataUrl },
]

const list: CliCommand = {
  usage: 'hosts list [--json]',
  about: 'List the processes of the service: where they run, and the load of their browsers.',
  options: { json: { help: 'Print the records as JSON.' } },
  settings,
  examples: ['troupe hosts list'],
  async run({ switches }) {
    const hosts = await withBus((_, store) => liveHosts(store))
    if (switches.has('json')) console.log(prettyJson(hosts))
    else console.log(hosts.length === 0 ? 'no processes' : tableText(columns, hosts))
    return 0
  },
}

const drain: CliCommand = {
  usage: 'hosts drain HOST [--wait]',
  about: 'Stop a browser host from taking new sessions. Running sessions continue.',
  more:
    'This lasts until `hosts undrain`, or until its node agent is restarted. Stopping the agent ends ' +
    'the remaining sessions.',
  arguments: [1, 1],
  options: { wait: { help: 'Wait until the last session there has ended.' } },
  settings,
  examples: ['troupe hosts drain browser-1 --wait'],
  async run({ args: [nodeId = ''], switches }) {
    await withBus(async (bus, store) => {
      const { sessions } = await askHost(bus, store, nodeId, 'drain')
      console.log(`${nodeId} takes no new sessions; ${sessions} still run there`)
      if (switches.has('wait')) await untilEmpty(store, nodeId)
    })
    return 0
  },
}

const undrain: CliCommand = {
  usage: 'hosts undrain HOST',
  about: 'Let a browser host take new sessions again.',
  arguments: [1, 1],
  settings,
  examples: ['troupe hosts undrain browser-1'],
  async run({ args: [nodeId = ''] }) {
    const { sessions } = await withBus((bus, store) => askHost(bus, store, nodeId, 'undrain'))
    console.log(`${nodeId} takes new sessions again; ${sessions} run there`)
    return 0
  },
}

/** Throws {@link CommandFailed} if there is no such browser host. */
async function askHost(bus: Bus, store: NatsStore, nodeId: string, verb: 'drain' | 'undrain') {
  const agents = (await liveHosts(store)).filter(({ role }) => role === 'node-agent')
  if (!agents.some((agent) => agent.nodeId === nodeId)) {
    const names = agents.map((agent) => agent.nodeId).join(', ') || 'none'
    throw new CommandFailed(`there is no browser host ${nodeId}; there are: ${names}`)
  }
  return askNode(bus, nodeId, verb, {}, cliLimits.drainAskMs)
}

async function untilEmpty(store: NatsStore, nodeId: string): Promise<void> {
  for (;;) {
    const agent = (await liveHosts(store)).find(
      (host) => host.role === 'node-agent' && host.nodeId === nodeId,
    )
    if (!agent?.browsers || agent.browsers.claimed === 0) break
    await sleep(systemClock, cliLimits.drainLookMs)
  }
  console.log(`${nodeId} has no more sessions`)
}

export const hostsCommandGroup: CliCommandGroup = {
  about: 'The processes of the service, and draining a browser host.',
  commands: { list, drain, undrain },
}
