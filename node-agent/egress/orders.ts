/** What a node agent and its egress process say to each other, over the channel that Node gives a child. */
import type { NetworkPolicy } from '../../proto/browser-host/node.ts'
import type { ConnectionLoad } from '../../proto/host-counts.ts'
import type { Traffic } from '../../proto/session/browser-reports.ts'
import type { ProxyOptions } from '../../proto/session/session.ts'
import type { ServicePorts } from './service-ports.ts'

/** The process' only argument, as JSON. */
export interface EgressSettings {
  /** The most connections of one browser. */
  readonly connections: number
  /** Without any, those of /etc/resolv.conf. */
  readonly nameServers: readonly string[]
}

/** How a filter is opened. With the order comes the socket that it listens on, unless it has a port. */
export interface FilterSettings {
  readonly upstream?: ProxyOptions | undefined
  readonly policies: readonly NetworkPolicy[]
  /** The port of loopback that it listens on; 0: any. */
  readonly port?: number
}

export interface RefusedHost {
  readonly host: string
  readonly count: number
}

/** Orders by name: what comes with each, and what is answered. */
interface EgressCalls {
  readonly ports: { readonly with: { readonly ports: ServicePorts }; readonly answer: null }
  /** The answer is the port, 0 for a socket that was given. */
  readonly open: { readonly with: OfFilter & FilterSettings; readonly answer: number }
  readonly restrict: {
    readonly with: OfFilter & Pick<FilterSettings, 'policies'>
    readonly answer: null
  }
  /** See {@link NetworkFilter.failureOf}. */
  readonly failure: {
    readonly with: OfFilter & { readonly url: string }
    readonly answer: string | null
  }
  readonly refused: { readonly with: OfFilter; readonly answer: readonly string[] }
  readonly unreported: { readonly with: OfFilter; readonly answer: readonly RefusedHost[] }
  /** Since it was opened; null for one that is closed. */
  readonly traffic: { readonly with: OfFilter; readonly answer: Traffic | null }
  /** The answer is all that it has carried. */
  readonly close: { readonly with: OfFilter; readonly answer: Traffic | null }
}

interface OfFilter {
  readonly filter: number
}

export type EgressOrderName = keyof EgressCalls
export type EgressOrderOf<Name extends EgressOrderName> = EgressCalls[Name]['with']
export type EgressAnswerOf<Name extends EgressOrderName> = EgressCalls[Name]['answer']

/** To the process. */
export type EgressOrder = {
  readonly [Name in EgressOrderName]: {
    readonly id: number
    readonly order: Name
  } & EgressOrderOf<Name>
}[EgressOrderName]

/** From the process. */
export type EgressMessage =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly error: string }
  | { readonly load: ConnectionLoad }
