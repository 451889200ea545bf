/**
 * The ways in which a test file is run: always in the usual way, and in addition, where it concerns
 * the gateway's wire, with the server's other engine and on a newer Node; where it concerns
 * browsers, on the host's network, or with displays; and where it attacks a host from its browsers,
 * as a plain user.
 */
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { chooseEngine, engineNames } from '../gateway/server/engine.ts'
import { packageRoot } from '../runtime/lib/package.ts'
import { isolationHere } from './helpers/service/isolation-here.ts'

export interface Pass {
  /** Shown after the file's name. */
  readonly name: string
  readonly env: Readonly<Record<string, string>>
  /** The user and group that files run as, when it is not that of `npm test`. */
  readonly uid?: number
  has(title: string): boolean
  /** The program to run files with, installed when it is first needed. */
  node(): Promise<string>
}

export class NodeMissing extends Error {}

/**
 * Files about the server itself, not about the messages over it. What the two engines do with bytes,
 * sockets and streams is here; of the whole service with the other engine, or on the newer Node, a
 * few files run that use all of it.
 */
const serverTests =
  /^test\/unit\/gateway\/(cdp\/(cdp|own-session)|files\/files|routing\/keep-alive-reply|server\/(forms|http|server|sockets|streams|upgrade)|tasks\/tasks)$/
const installMs = 300_000
const node24 = join(packageRoot, 'test/node-24')

const usual: Pass = {
  name: '',
  env: {},
  has: () => true,
  node: async () => process.execPath,
}

const nodeHttp: Pass = {
  name: engineNames.node,
  env: { SERVER_ENGINE: 'node' },
  has: matching(
    serverTests,
    /^test\/contract\/sessions\/(bad-inputs|cdp-clients|files)$/,
    /^test\/unit\/gateway\/console\/session-feed$/,
    /^test\/attack\/gateway\/(hold-every-connection|slip-in-a-request)$/,
  ),
  node: usual.node,
}

const newerNode: Pass = {
  name: 'Node 24',
  env: {},
  has: matching(
    serverTests,
    /^test\/unit\/gateway\/server\/server-engine$/,
    /^test\/contract\/sdk\/anchorbrowser$/,
  ),
  node: async () => (installed ??= installNode24()),
}

/** Files about browsers' sockets, and about the end of browsers. */
const hostsNetwork: Pass = {
  name: 'host’s network',
  env: { NETWORK_ISOLATION: 'off' },
  has: matching(
    /^test\/contract\/sessions\/cdp-clients$/,
    /^test\/e2e\/(desktop\/display|page\/network-policy|survival\/(agent-survival|kernel-bounds))$/,
  ),
  node: usual.node,
}

/** Files about acts and snapshots, whose pages may behave otherwise with a display. */
const headful: Pass = {
  name: 'headful',
  env: { TEST_HEADFUL: '1' },
  has: matching(
    /^test\/e2e\/acts\/(acting|dialog-chain|editors|hidden-controls|receiving|selecting)$/,
    /^test\/e2e\/snapshots\/marks$/,
  ),
  node: usual.node,
}

const nobody = 65_534

/** As services usually run: browsers must be as isolated from the host as when root starts them. */
const plainUser: Pass = {
  name: 'plain user',
  env: {},
  uid: nobody,
  has: matching(
    /^test\/attack\/host\/(break-out-of-a-desktop|fill-the-machine)$/,
    /^test\/attack\/network\/reach-the-hosts-network$/,
    /^test\/attack\/host\/(read-the-hosts-files|watch-another-desktop|write-outside-downloads)$/,
  ),
  node: usual.node,
}

/** Only root can switch users, and the other user may not be able to read this folder or Node. */
function canBePlain(): boolean {
  if (process.getuid?.() !== 0) return false
  const asNobody = { uid: nobody, gid: nobody, cwd: '/' }
  const self = fileURLToPath(import.meta.url)
  return spawnSync(process.execPath, ['--check', self], asNobody).status === 0
}

/** Leaves out passes that would equal the usual one on this machine. */
export function passes(): readonly Pass[] {
  const major = Number(process.versions.node.split('.')[0])
  return [
    usual,
    headful,
    ...(chooseEngine('auto') === 'node' ? [] : [nodeHttp]),
    ...(major >= 24 ? [] : [newerNode]),
    ...(isolationHere['NETWORK_ISOLATION'] === 'off' ? [] : [hostsNetwork]),
    ...(canBePlain() ? [plainUser] : []),
  ]
}

function matching(...patterns: readonly RegExp[]): Pass['has'] {
  return (title) => patterns.some((pattern) => pattern.test(title))
}

let installed: Promise<string> | undefined

/** Installed in its own folder: in ours, its bin would be the `node` of every npm script. */
async function installNode24(): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`
  const program = join(node24, 'node_modules', name, 'bin/node')
  if (!existsSync(program)) {
    const args = ['ci', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error']
    await promisify(execFile)('npm', args, { cwd: node24, timeout: installMs }).catch((cause) => {
      throw new NodeMissing('npm could not install Node 24', { cause })
    })
  }
  // npm counts an optional package that it could not fetch as a success.
  if (!existsSync(program)) throw new NodeMissing(`npm did not get ${name}; is there a network?`)
  execFileSync(program, ['--version'])
  return program
}
