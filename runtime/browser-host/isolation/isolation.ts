/**
 * The isolation between a browser and its host: its own namespaces and Chromium's sandbox, as far
 * as this machine supports them. A service that others can reach does not start without both,
 * unless the operator allows it.
 */
import type { IsolationMode } from '../../../proto/host.ts'
import type { Config } from '../../config/config.ts'
import { isReachedByOthers, type ReachConfig } from '../../config/reach.ts'
import { browserSystemArgs, folderArgs, type BrowserFolders } from './bubblewrap.ts'
import { canShareNamespaces, desktopIsolation, type DesktopIsolation } from './desktop.ts'
import { whatOwnNetworkLacks } from './own-network.ts'
import { findSandbox, canRun } from './sandbox.ts'

export interface Isolation {
  readonly mode: IsolationMode
  /** True if Chromium's own sandbox is on. */
  readonly sandbox: boolean
  /** True if each browser has its own network: see `own-network.ts`. */
  readonly hasOwnNetwork: boolean
  /** Missing parts of the isolation. */
  readonly missing: readonly Missing[]
  /** Precedes Chromium on the command line of the browser with these folders. */
  prefix(folders: BrowserFolders): readonly string[]
  /** Undefined where the processes of a desktop run on the host as they are. */
  readonly desktop: DesktopIsolation | undefined
}

interface Missing {
  /** A sentence without a full stop. */
  readonly why: string
  readonly fix: string
}

type WallConfig = Pick<
  Config,
  'ISOLATION' | 'NETWORK_ISOLATION' | 'CHROMIUM_SANDBOX' | 'CHROMIUM_BIN'
>
export type IsolationConfig = WallConfig & ReachConfig & Pick<Config, 'ISOLATION_I_TRUST_ALL_KEYS'>

/** The start is refused; the message says what would solve it. */
export class InsufficientIsolation extends Error {
  override readonly name = 'InsufficientIsolation'
}

/**
 * Throws {@link InsufficientIsolation} if the settings or the service's reachability need more than this machine
 * supports.
 */
export function findIsolation(config: IsolationConfig): Isolation {
  const found = possibleIsolation(config)
  const [first] = found.missing
  if (config.ISOLATION === 'namespaces' && found.mode === 'none') {
    throw new InsufficientIsolation(`ISOLATION=namespaces, but ${first?.why}: ${first?.fix}.`)
  }
  if (config.NETWORK_ISOLATION === 'on' && !found.hasOwnNetwork) {
    throw new InsufficientIsolation(`NETWORK_ISOLATION=on, but ${first?.why}: ${first?.fix}.`)
  }
  if (!isReachedByOthers(config)) return found
  if (found.mode === 'none' && !config.ISOLATION_I_TRUST_ALL_KEYS) {
    throw new InsufficientIsolation(
      `Others can reach this service, and ${first?.why}: every owner of a key could read them. ` +
        `Fix it: ${first?.fix}; or set ISOLATION_I_TRUST_ALL_KEYS=1.`,
    )
  }
  const isOpen = !found.hasOwnNetwork && !config.ISOLATION_I_TRUST_ALL_KEYS
  if (isOpen && config.NETWORK_ISOLATION === 'auto') {
    throw new InsufficientIsolation(
      `Others can reach this service, and ${first?.why}: a page could reach what this host reaches. ` +
        `Fix it: ${first?.fix}; or set NETWORK_ISOLATION=off.`,
    )
  }
  if (!found.sandbox && config.CHROMIUM_SANDBOX === 'on') {
    const last = found.missing.at(-1)
    throw new InsufficientIsolation(
      `Others can reach this service, and ${last?.why}. Fix it: ${last?.fix}; or set CHROMIUM_SANDBOX=off.`,
    )
  }
  return found
}

/**
 * The strongest requested isolation that this machine supports, regardless of who can reach the
 * service.
 */
export function possibleIsolation(config: WallConfig): Isolation {
  const missing = whatNamespacesLack(config)
  if (missing === undefined) return inNamespaces(config)
  const { on, prefix, why } = findSandbox()
  const sandbox = on && config.CHROMIUM_SANDBOX === 'on'
  const without = why === undefined ? sandboxOff : { why, fix: allow }
  return {
    mode: 'none',
    sandbox,
    hasOwnNetwork: false,
    missing: sandbox ? [missing] : [missing, without],
    prefix: () => prefix,
    desktop: undefined,
  }
}

const allow = 'let this user create user namespaces: sysctl -w kernel.unprivileged_userns_clone=1'
const sandboxOff: Missing = {
  why: 'Chromium runs without its sandbox, because of CHROMIUM_SANDBOX',
  fix: 'leave CHROMIUM_SANDBOX out',
}

function inNamespaces(config: WallConfig): Isolation {
  const system = browserSystemArgs(config.CHROMIUM_BIN)
  const sandbox = config.CHROMIUM_SANDBOX === 'on'
  const network = whatNetworkLacks(config)
  const hasOwnNetwork = network === undefined
  return {
    mode: hasOwnNetwork ? 'full' : 'namespaces',
    sandbox,
    hasOwnNetwork,
    missing: [...(network ? [network] : []), ...(sandbox ? [] : [sandboxOff])],
    prefix: (folders) => [...system, ...folderArgs(folders)],
    desktop: desktopIsolation(hasOwnNetwork),
  }
}

function whatNamespacesLack({
  ISOLATION,
  CHROMIUM_BIN,
}: Pick<IsolationConfig, 'ISOLATION' | 'CHROMIUM_BIN'>): Missing | undefined {
  const shared = 'browsers share the files of this host and its network'
  if (ISOLATION === 'none')
    return { why: `${shared}, because of ISOLATION`, fix: 'leave ISOLATION out' }
  if (!canRun(['bwrap', '--version'])) {
    return { why: `${shared}, because there is no bwrap`, fix: 'apt-get install bubblewrap' }
  }
  // Like a browser with a desktop; Chromium's sandbox is a nested namespace.
  if (canShareNamespaces([...browserSystemArgs(CHROMIUM_BIN), 'unshare', '--user', 'true'])) {
    return undefined
  }
  return { why: `${shared}, because bwrap may not create namespaces here`, fix: allow }
}

function whatNetworkLacks({
  NETWORK_ISOLATION,
}: Pick<IsolationConfig, 'NETWORK_ISOLATION'>): Missing | undefined {
  const shared =
    'browsers share the network of this host (their pages reach its loopback, the networks around it ' +
    'and the DevTools of other browsers)'
  if (NETWORK_ISOLATION === 'off') {
    return { why: `${shared}, because of NETWORK_ISOLATION`, fix: 'leave NETWORK_ISOLATION out' }
  }
  const lack = whatOwnNetworkLacks()
  return lack && { why: `${shared}, as ${lack.why}`, fix: lack.fix }
}
