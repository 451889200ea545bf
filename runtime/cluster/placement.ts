/**
 * Chooses the host of an actor by rendezvous hashing: all processes choose the same, and a host's
 * death moves only its own actors.
 */
import { createHash } from 'node:crypto'
import type { HostRecord } from '../../proto/host.ts'

/**
 * The candidate with the highest score for this key; the same for all processes that see the same
 * hosts.
 */
export function rendezvousHost(key: string, hosts: readonly HostRecord[]): HostRecord | undefined {
  let winner: HostRecord | undefined
  let highest = -1
  for (const host of hosts) {
    const score = scoreOf(key, host.incarnation)
    if (score > highest || (score === highest && host.incarnation < winner!.incarnation)) {
      highest = score
      winner = host
    }
  }
  return winner
}

function scoreOf(key: string, incarnation: string): number {
  return createHash('sha1').update(`${key}\n${incarnation}`).digest().readUIntBE(0, 6)
}
