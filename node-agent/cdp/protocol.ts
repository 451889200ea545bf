/** The Chrome DevTools Protocol as types, from the package of the Chromium project. */
import type { ProtocolMapping } from 'devtools-protocol/types/protocol-mapping.js'

type Commands = ProtocolMapping.Commands
type Events = ProtocolMapping.Events

export type CdpMethod = keyof Commands
export type CdpParams<M extends CdpMethod> = Commands[M]['paramsType'] extends readonly [(infer P)?]
  ? P
  : object
export type CdpResult<M extends CdpMethod> = Commands[M]['returnType']

/**
 * The arguments after the method of a call: its parameters (omitted if all are optional), then
 * `Rest`.
 */
export type CallArguments<M extends CdpMethod, Rest extends readonly unknown[]> =
  object extends CdpParams<M>
    ? [params?: CdpParams<M>, ...rest: Rest]
    : [params: CdpParams<M>, ...rest: Rest]

export type CdpEventName = keyof Events
export type CdpEventParams<E extends CdpEventName> = Events[E] extends readonly [
  infer P,
  ...unknown[],
]
  ? P
  : Readonly<Record<string, never>>

/** One event; its `method` discriminates the union. */
export type CdpEvent = {
  [E in CdpEventName]: {
    readonly method: E
    readonly params: CdpEventParams<E>
    readonly sessionId?: string
  }
}[CdpEventName]
