/**
 * Chromium's own sandbox, for the processes that run pages. It refuses to run as root, and needs
 * user namespaces or a setuid helper. In its own user namespace, a root agent is not root.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

export interface Sandbox {
  readonly on: boolean
  /** Precedes Chromium on the command line. */
  readonly prefix: readonly string[]
  /** One sentence, if it is off. */
  readonly why?: string
}

const namespacePrefix = ['unshare', '--user', '--map-user=1000', '--map-group=1000']
const setuidHelper = '/usr/lib/chromium/chrome-sandbox'

export function findSandbox(isRoot = process.getuid?.() === 0): Sandbox {
  if (isRoot) {
    return canRun([...namespacePrefix, 'unshare', '--user', 'true'])
      ? { on: true, prefix: namespacePrefix }
      : noSandbox('this agent is root and may not create user namespaces')
  }
  if (canRun(['unshare', '--user', 'true']) || existsSync(setuidHelper)) {
    return { on: true, prefix: [] }
  }
  return noSandbox('there are neither user namespaces nor a setuid helper')
}

function noSandbox(why: string): Sandbox {
  return { on: false, prefix: [], why: `Chromium runs without its sandbox: ${why}` }
}

export function canRun([command, ...args]: readonly string[]): boolean {
  return spawnSync(command!, args, { stdio: 'ignore' }).status === 0
}
