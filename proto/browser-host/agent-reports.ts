/**
 * Reports of a node agent about its browsers; any actor host may take one. An agent can send
 * nothing else to actors: a report names a browser and affects only the session that has it.
 */
import { z } from 'zod'
import { limits } from '../limits.ts'
import type { Incarnation } from '../ids.ts'
import { browserUse, madeRecording } from '../session/browser-reports.ts'
import type { AdoptReply } from '../session/session-protocol.ts'

const browserId = z.custom<`brw_${string}`>((id) => typeof id === 'string' && id.startsWith('brw_'))

const agentReport = z.discriminatedUnion('type', [
  /** Asks whether the session still needs the browser that the agent holds for it. */
  z.strictObject({ type: z.literal('browser.report'), browserId }),
  /** This agent has taken the browser over from an earlier one of its host, and goes on with it. */
  z.strictObject({
    type: z.literal('browser.adopt'),
    browserId,
    nodeId: z.string(),
    incarnation: z.custom<Incarnation>((text) => typeof text === 'string' && text.length < 200),
    dataUrl: z.string(),
  }),
  /** The browser ended without a request of the agent. */
  z.strictObject({
    type: z.literal('browser.gone'),
    browserId,
    cause: z.enum(['closed', 'crashed', 'out_of_resources']),
    /** One sentence for the session's owner. */
    detail: z.string(),
  }),
  /** What the browser has used by now; sent from time to time, and before its end is reported. */
  z.strictObject({ type: z.literal('browser.used'), browserId, use: browserUse }),
  /** The video of the session that had the browser is made, or cannot be. */
  z.strictObject({ type: z.literal('recording.made'), browserId, made: madeRecording }),
  /** The browser's host is draining. Answered once the session has ended or has no such browser. */
  z.strictObject({ type: z.literal('browser.draining'), browserId }),
  /** Requests of the browser that its network policy has refused since the previous report. */
  z.strictObject({
    type: z.literal('network.refused'),
    browserId,
    hosts: z
      .array(z.strictObject({ host: z.string().max(300), count: z.number().int().min(1) }))
      .max(limits.refusedHosts)
      .readonly(),
  }),
  /** Asks whether the store has any entry of the session; sent before an irreversible step. */
  z.strictObject({ type: z.literal('session.recorded') }),
])

export type AgentReport = z.infer<typeof agentReport>

export interface ReportAnswers {
  readonly 'browser.report': { readonly keep: boolean }
  readonly 'browser.adopt': AdoptReply
  readonly 'browser.gone': null
  readonly 'browser.used': null
  readonly 'recording.made': null
  readonly 'browser.draining': null
  readonly 'network.refused': null
  readonly 'session.recorded': boolean
}

/** The request on `subjects.agentReports`; the answer is a `Reply`. */
export const reportRequest = z.strictObject({ sessionId: z.string(), report: agentReport })
export type ReportRequest = z.infer<typeof reportRequest>
