/** The machine of a session alone, no runtime: steps, and what is asked of its snapshots. */
import type { AnyMachineSnapshot } from 'xstate'
import { sessionMachine } from '../../../actors/session/machine.ts'
import { sessionQueries } from '../../../actors/session/queries.ts'
import { sessionView } from '../../../actors/session/view.ts'
import type { SessionContext } from '../../../actors/session/context.ts'
import type { BrowserClaim } from '../../../proto/session/browser-claim.ts'
import { sessionCreateBody, sessionOptions } from '../../../proto/session/session.ts'
import { startMachine, stepMachine, type MachineStep } from '../../../runtime/actor/cell/machine.ts'

/** Wall-clock ms. */
export const start = 1_000_000
export const agent = 'n1.node-agent.01' as const

export const claim: BrowserClaim = {
  nodeId: 'n1',
  incarnation: agent,
  browserId: 'brw_1',
  devtoolsPort: 9222,
  devtoolsPath: '/devtools/browser/x',
  machine: 'm',
  dataUrl: 'http://n1',
  ticketSecret: 'secret',
  downloadsDir: '/downloads',
}

export function created(body: unknown = {}): MachineStep {
  const options = sessionOptions(sessionCreateBody.parse(body))
  const input = { id: 'ses_1', tenant: 'acme', keyId: 'k', keyName: 'ci', options }
  return startMachine(sessionMachine, { ...input, createdAtMs: start })
}

/** An event of the machine. */
export type SessionStep = { readonly type: string; readonly [field: string]: unknown }

export function after(from: MachineStep, ...events: readonly SessionStep[]): MachineStep {
  return events.reduce<MachineStep>(
    (last, event) => stepMachine(sessionMachine, last.snapshot, { at: start, ...event }),
    from,
  )
}

export const active = (body?: unknown) =>
  after(created(body), { type: 'claimed', claim, at: start + 10 })
export const context = ({ snapshot }: MachineStep) => snapshot.context as SessionContext
export const stateOf = ({ snapshot }: MachineStep) => snapshot.value as string
export const statusOf = ({ snapshot }: MachineStep) => sessionView(snapshot as never).status

export function answer(snapshot: AnyMachineSnapshot, command: SessionStep): unknown {
  const type = command.type as keyof typeof sessionQueries
  return sessionQueries[type](snapshot as never, command as never, { epoch: 3 })
}
