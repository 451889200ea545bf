/**
 * The record a process keeps in KV `hosts` while it lives: its
 * lease, what it is and what it can take.
 */
import type { Incarnation, Role } from './ids.ts'

/**
 * What stands between the browsers of a host and the host, the most first. `full`: its files, its
 * processes and its network are out of reach. `namespaces`: its files and processes.
 */
export const isolationModes = ['full', 'namespaces', 'none'] as const
export type IsolationMode = (typeof isolationModes)[number]

export type HostState = 'alive' | 'draining' | 'dead'

/**
 * What a node agent says of itself with each renewal; placement and readiness read nothing else.
 */
export interface BrowserLoad {
  /** Most sessions this agent will hold at once. */
  readonly capacity: number
  readonly warm: number
  readonly booting: number
  readonly claimed: number
  /** Callers waiting in line for a browser. */
  readonly queued: number
  /** True while a browser could be handed out: one answered just now, or one can be started. */
  readonly ready: boolean
}

export interface HostRecord {
  readonly state: HostState
  readonly incarnation: Incarnation
  readonly nodeId: string
  readonly role: Role
  /** How long after its last renewal this process may be believed alive. */
  readonly leaseMs: number
  /**
   * Network namespace of one boot of one machine: equal on two records means loopback is shared.
   */
  readonly machine: string
  readonly version: string
  /** Its wall clock, in ms since 1970, when it renewed. */
  readonly wallMs?: number
  /** Node agents only: where gateways on other machines dial for bytes. */
  readonly dataUrl?: string
  readonly browsers?: BrowserLoad
  /** Node agents only: what stands between their browsers and the host. */
  readonly isolation?: IsolationMode
  /** Gateways only: where they listen, for who shares their loopback. */
  readonly url?: string
  /** Gateways only, where there is such an address: how other machines reach them. */
  readonly publicUrl?: string
  /** Actor hosts only: agents of the command line that tasks may use there. */
  readonly agents?: readonly string[]
  /** Gateways and actor hosts: ids of the keys they open secrets with; they seal with the first. */
  readonly sealKeys?: readonly string[]
  /** Who declared it dead, once it is. */
  readonly by?: string
}
