/**
 * Chooses the host of an actor by rendezvous hashing: all processes choose the same, and a host's
 * death moves only its own actors.
 */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { HostRecord } from '../../proto/host.ts'
import { clusterLimits } from './limits.ts'

/**
 * The candidate with the highest score for this key; the same for all processes that see the same
 * hosts.
 */
export function rendezvousHost(key: string, hosts: readonly HostRecord[]): HostRecord | undefined {
  return placementAmong(hosts)(key)
}

/** The same for many keys: what depends on the hosts alone is computed once. */
export function placementAmong(
  hosts: readonly HostRecord[],
): (key: string) => HostRecord | undefined {
  if (hosts.length < 2) return () => hosts[0]
  // A host of an older version knows only the slower scores.
  const scores = hosts.every(({ mixesHashes }) => mixesHashes) ? mixedScores : digestScores
  const scoreOf = scores(hosts)
  return (key) => {
    const score = scoreOf(key)
    let winner = 0
    let highest = -1
    for (let i = 0; i < hosts.length; i++) {
      const its = score(i)
      const isTie = its === highest && hosts[i]!.incarnation < hosts[winner]!.incarnation
      if (its > highest || isTie) [highest, winner] = [its, i]
    }
    return hosts[winner]
  }
}

type Scores = (hosts: readonly HostRecord[]) => (key: string) => (index: number) => number

/** 1.5 µs for each pair of key and host. */
const digestScores: Scores = (hosts) => (key) => (i) =>
  sha1(`${key}\n${hosts[i]!.incarnation}`).readUIntBE(0, 6)

/** Some 10 ns for each pair: key and host are digested on their own. */
const mixedScores: Scores = (hosts) => {
  const ofHosts = Uint32Array.from(hosts, ({ incarnation }) => digestOfHost(incarnation))
  return (key) => {
    const ofKey = digestOf(key)
    return (i) => mixed(ofKey ^ ofHosts[i]!)
  }
}

const digests = new LRUCache<string, number>({ max: clusterLimits.hostDigests })

function digestOfHost(incarnation: string): number {
  const known = digests.get(incarnation)
  if (known !== undefined) return known
  const digest = digestOf(incarnation)
  digests.set(incarnation, digest)
  return digest
}

const sha1 = (text: string) => createHash('sha1').update(text).digest()
const digestOf = (text: string) => sha1(text).readUInt32BE(0)

/** The finalizer of MurmurHash3: each bit of the argument changes half of the bits of the result. */
function mixed(bits: number): number {
  let hash = bits
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
