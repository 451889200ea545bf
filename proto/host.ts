/**
 * The record that a process keeps in KV `hosts` while it lives: its lease, its role and its
 * capacity.
 */
import type { ActorLoad, BrowserCounts, ConnectionLoad, TaskCounts } from './host-counts.ts'
import type { Incarnation, Role } from './ids.ts'

/**
 * How the browsers of a host are isolated from it, strongest first. `full`: the host's files,
 * processes and network are out of reach. `namespaces`: its files and processes are.
 */
export const isolationModes = ['full', 'namespaces', 'none'] as const
export type IsolationMode = (typeof isolationModes)[number]

/**
 * Who keeps a browser within its memory and its number of processes, stricter first: the kernel at
 * once, by control groups, or the node agent, which looks every two seconds.
 */
export const boundsKinds = ['kernel', 'checks'] as const
export type BoundsKind = (typeof boundsKinds)[number]

/**
 * `silent`: it has not renewed its lease in time, so nothing is asked of it; what it holds is kept
 * for a while, because it may come back. A `dead` process never does.
 */
export const liveHostStates = ['alive', 'draining', 'silent'] as const
type LiveHostState = (typeof liveHostStates)[number]

/** Reported by a node agent with each renewal; placement and readiness are decided by it alone. */
export interface BrowserLoad {
  /** The most sessions this agent holds at once. */
  readonly capacity: number
  readonly warm: number
  readonly booting: number
  readonly claimed: number
  /** Callers waiting for a browser. */
  readonly queued: number
  /**
   * True while a browser can be handed out: one answered a check just now, or one can be started.
   */
  readonly ready: boolean
  /** Absent from agents of an older version. */
  readonly counts?: BrowserCounts
  /** Absent from agents of an older version. */
  readonly connections?: ConnectionLoad
}

/** Load of the machine, or of the container that limits the process. */
export interface MachineLoad {
  readonly cores: number
  /** Processes that run or wait for a core, on average over the last minute. */
  readonly load: number
  readonly memoryBytes: number
  /** The part of it that programs can still allocate. */
  readonly memoryFreeBytes: number
  /** Resident memory of the process itself. */
  readonly processBytes: number
}

export interface HostRecord {
  readonly state: LiveHostState | 'dead'
  readonly incarnation: Incarnation
  readonly nodeId: string
  readonly role: Role
  /** How long after its last renewal this process counts as alive. */
  readonly leaseMs: number
  /**
   * Network namespace of one boot of one machine: if two records have the same, they share
   * loopback.
   */
  readonly machine: string
  readonly version: string
  /** The operator's labels of the host, such as `zone=a`; absent from older versions. */
  readonly labels?: readonly string[]
  /** Its wall clock in ms since 1970 at the renewal. */
  readonly wallMs?: number
  /** Absent from processes of an older version. */
  readonly machineLoad?: MachineLoad
  /** Node agents only: the address where gateways on other machines dial for bytes. */
  readonly dataUrl?: string
  readonly browsers?: BrowserLoad
  /** Node agents only: how their browsers are isolated from the host. */
  readonly isolation?: IsolationMode
  /** Node agents only: why it is not better; absent if nothing is missing, and from older versions. */
  readonly isolationLacks?: readonly string[]
  /** Node agents only; absent from older versions. */
  readonly bounds?: BoundsKind
  /**
   * Node agents only: why sessions cannot be recorded there, empty if they can; absent from older
   * versions, which cannot.
   */
  readonly recordingLack?: string
  /** Gateways only: the address where they listen, for processes that share their loopback. */
  readonly url?: string
  /** Gateways only, if set: the address where other machines reach them. */
  readonly publicUrl?: string
  /** Actor hosts only; absent from those of an older version. */
  readonly actors?: ActorLoad
  /** Actor hosts only; absent from those of an older version. */
  readonly tasks?: TaskCounts
  /** Actor hosts only: it chooses hosts by mixed hashes; absent from those of an older version. */
  readonly mixesHashes?: true
  /** Actor hosts only: command-line agents that tasks may use there. */
  readonly agents?: readonly string[]
  /**
   * Gateways and actor hosts: ids of the keys that they can unseal with; they seal with the first.
   */
  readonly sealKeys?: readonly string[]
  /** The incarnation that declared it silent or dead. */
  readonly by?: string
}

export type LiveHost = HostRecord & { readonly state: LiveHostState }

export const isLiveHost = (host: HostRecord): host is LiveHost => host.state !== 'dead'
