/** `troupe cluster`: prepares a service on several hosts. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { makeCluster, type ClusterOrder } from './make-cluster.ts'
import { loadConfig } from '../../config/config.ts'
import { NatsUnusable } from '../../store/nats/errors.ts'
import { findServer, serverVersion, syncsAlways } from '../../store/nats/server/server.ts'
import { isToken } from '../../../proto/ids.ts'
import { CommandFailed, UsageError, type CliCommand, type CliCommandGroup } from '../command.ts'

const init: CliCommand = {
  usage: 'cluster init --nats HOST[:PORT] --browsers ID=ADDRESS[,…] [--out DIR] [--no-tls]',
  about: 'Write what nats-server and each host of a service need: configuration, users, keys.',
  more: [
    '',
    'Creates a folder for nats-server, one for hosts with gateways and actors, and one for each host',
    'with browsers. Each has its own settings and keys: copy only that folder to its host. Each',
    'role has only the NATS permissions that it needs; a host with browsers can read no keys, no',
    'histories and nothing of another host, and gets no SEAL_KEY.',
  ].join('\n'),
  options: {
    nats: {
      value: 'HOST',
      required: true,
      help: 'Address at which the hosts reach nats-server. Default port: 4222.',
    },
    browsers: {
      value: 'ID=ADDRESS',
      required: true,
      help: 'Browser hosts: for each a name, and the address where gateways reach it.',
    },
    out: { value: 'DIR', help: 'Folder to create; must not exist yet. Default: troupe-cluster.' },
    etc: { value: 'DIR', help: 'Where a host will keep its files. Default: /etc/troupe.' },
    'nats-etc': {
      value: 'DIR',
      help: 'Where nats-server will have its files. Default: /etc/nats.',
    },
    store: {
      value: 'DIR',
      help: 'Where nats-server keeps its store. Default: /var/lib/nats/troupe.',
    },
    'nats-version': {
      value: 'V',
      help: 'Version of the nats-server there. Default: as installed here, otherwise 2.10.',
    },
    'no-tls': { help: 'Do not encrypt connections to NATS: for hosts that trust their network.' },
  },
  examples: ['troupe cluster init --nats 10.0.0.1 --browsers b1=10.0.0.2,b2=10.0.0.3'],
  async run({ values, switches }) {
    const { nats = '', browsers = '', out = 'troupe-cluster', etc = '/etc/troupe' } = values
    const { 'nats-etc': natsEtcDir = '/etc/nats', store: storeDir = '/var/lib/nats/troupe' } =
      values
    const outDir = resolve(out)
    const order: ClusterOrder = {
      ...readAddress(nats),
      browserHosts: readHosts(browsers),
      tls: !switches.has('no-tls'),
      natsVersion: values['nats-version'] ?? (await installedVersion()) ?? firstThatSyncs,
      ...{ outDir, etcDir: etc, natsEtcDir, storeDir },
    }
    if (existsSync(outDir))
      throw new CommandFailed(`${outDir} already exists; name another folder with --out.`)
    await makeCluster(order)
    console.log(clusterSummary(order))
    return 0
  },
}

const firstThatSyncs = '2.10.0'

/** Undefined if none is installed here: then it will run elsewhere. */
async function installedVersion(): Promise<string | undefined> {
  try {
    return await serverVersion(findServer(loadConfig().NATS_SERVER_BIN))
  } catch (error) {
    if (error instanceof NatsUnusable) return undefined
    throw error
  }
}

export const clusterCommandGroup: CliCommandGroup = {
  about: 'A service on several hosts.',
  commands: { init },
}

function readAddress(text: string): { host: string; port: number } {
  const [, host = '', port = '4222'] = /^(\[[\da-f:.]+\]|[\w.-]+)(?::(\d{1,5}))?$/i.exec(text) ?? []
  if (host === '' || Number(port) > 65_535) {
    throw new UsageError('--nats takes a name or an address, and :port if it is not 4222')
  }
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
}

/** `b1,b2=10.0.0.2`: ids, with the address where gateways reach the host. */
function readHosts(text: string): ReadonlyMap<string, string> {
  const pairs = text.split(',').map((pair) => pair.trim().split('='))
  const hosts = new Map(pairs.map(([id = '', address = '']) => [id, address]))
  const isGood = pairs.every((pair) => pair.length <= 2 && /^[\w.:-]*$/.test(pair[1] ?? ''))
  if (isGood && hosts.size === pairs.length && [...hosts.keys()].every(isToken)) return hosts
  throw new UsageError(
    '--browsers takes different ids of letters, digits, - and _, each with =ADDRESS: b1=10.0.0.2,b2',
  )
}

function clusterSummary(order: ClusterOrder): string {
  const { outDir, etcDir, natsEtcDir, browserHosts, tls, natsVersion } = order
  const rows = [
    ['nats/', `the host of nats-server, as ${natsEtcDir}`],
    ['core/', `each host with gateways and actors, as ${etcDir}; it has the SEAL_KEY`],
    ...[...browserHosts.keys()].map((id) => [`browsers-${id}/`, `the host ${id}, as ${etcDir}`]),
  ]
  const width = Math.max(...rows.map(([folder = '']) => folder.length))
  return [
    `Written to ${outDir}. Each folder goes to its host, readable by the user that runs Troupe there:`,
    '',
    ...rows.map(([folder = '', where]) => `  ${folder.padEnd(width)}  ${where}`),
    '',
    'Then, on those hosts (or with the systemd unit of runtime/deploy):',
    '',
    `  nats-server --config ${natsEtcDir}/nats-server.conf`,
    `  set -a; . ${etcDir}/actors.env;     npm run troupe -- actors       # and commands, such as keys create`,
    `  set -a; . ${etcDir}/gateway.env;    npm run troupe -- gateway`,
    `  set -a; . ${etcDir}/node-agent.env; npm run troupe -- node-agent`,
    '',
    tls
      ? 'Connections to NATS are encrypted; server.pem is valid for ten years.'
      : 'Connections to NATS are not encrypted: keep them on a network that you trust.',
    syncsAlways(natsVersion)
      ? 'What nats-server acknowledges is on its disk; a version before 2.10 does not start with this.'
      : `nats-server ${natsVersion} acknowledges before it writes to the disk: if its machine loses power, the last two minutes can be lost. From 2.10 on, nothing is.`,
  ].join('\n')
}
