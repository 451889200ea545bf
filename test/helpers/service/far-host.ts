/**
 * A second host as far as sockets are concerned: a network namespace with its own loopback, joined
 * to ours by a pair of virtual interfaces. Needs root; a test without it is skipped with that
 * reason.
 */
import { execFileSync } from 'node:child_process'

export interface FarHost {
  /** The command that runs a program there: put it before the program's own arguments. */
  readonly prefix: readonly string[]
  /** Its address, as seen from here. */
  readonly address: string
  /** Our address, as seen from there. */
  readonly ourAddress: string
  remove(): void
}

/** Undefined where namespaces cannot be made. */
export function makeFarHost(): FarHost | undefined {
  const number = process.pid % 200
  const name = `troupe-${process.pid}`
  const [ours, theirs] = [`trp${number}a`, `trp${number}b`]
  const [ourAddress, address] = [`10.231.${number}.1`, `10.231.${number}.2`]
  // Enters the network namespace only: `ip -n` and `ip netns exec` also mount, which a chroot
  // forbids.
  const into = `--net=/run/netns/${name}`
  const prefix = ['nsenter', into]
  const remove = () => {
    process.off('exit', remove)
    ip('netns', 'delete', name)
  }
  try {
    ip('netns', 'add', name)
  } catch {
    return undefined // Not root, or no namespaces on this machine.
  }
  // Also when the test is aborted.
  process.once('exit', remove)
  try {
    ip('link', 'add', ours, 'type', 'veth', 'peer', 'name', theirs, 'netns', name)
    ip('address', 'add', `${ourAddress}/30`, 'dev', ours)
    ip('link', 'set', ours, 'up')
    const inside = (...args: string[]) =>
      execFileSync('nsenter', [into, 'ip', ...args], { stdio: 'pipe' })
    inside('address', 'add', `${address}/30`, 'dev', theirs)
    inside('link', 'set', theirs, 'up')
    inside('link', 'set', 'lo', 'up')
    return { prefix, address, ourAddress, remove }
  } catch (error) {
    remove()
    throw error
  }
}

function ip(...args: string[]): void {
  execFileSync('ip', args, { stdio: 'pipe' })
}
